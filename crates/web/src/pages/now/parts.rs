//! The blocks of the page. A spec keeps its element id in whichever block it is.

use kumite_contest::view::Board;
use kumite_core::names::Phase;
use kumite_core::run::{Need, SpecState, Step};
use kumite_project::status::Status;
use maud::{Markup, html};

use crate::render::later::{self, Haste};
use crate::render::marks::{progress, segment, sentence, since, until};
use crate::render::words::{badge, cut, money};

pub fn needs(specs: &[&Status], may_change: bool) -> Markup {
    html! {
        @if !specs.is_empty() {
            section #needs.needs data-needs=(specs.len()) aria-labelledby="needs-title" {
                h2 #needs-title { "Needs you " span.count { (specs.len()) } }
                ul.asks.many[specs.len() > MANY] {
                    @for status in specs { (ask(status, may_change)) }
                }
            }
        }
    }
}

/// A spec with something beside its name and its state, and something below.
fn item(status: &Status, beside: &Markup, below: &Markup) -> Markup {
    let name = &status.spec;
    html! {
        li id={ "spec-" (name) } data-item {
            div.who {
                a.name href=(page(name)) { (name) }
                (badge(status.state))
                (beside)
            }
            (below)
        }
    }
}

fn why(status: &Status) -> Markup {
    html! { p.why { (sentence(status.message.as_deref().unwrap_or_default())) } }
}

fn ask(status: &Status, may_change: bool) -> Markup {
    let phase = html! { @if let Some(phase) = status.phase { span.muted { (phase.name()) } } };
    let below = html! { (why(status)) div.actions { (helps(status, may_change)) } };
    item(status, &phase, &below)
}

/// Actions that would help, the likeliest first.
fn helps(status: &Status, may_change: bool) -> Markup {
    let name = &status.spec;
    let post = |what: &str| format!("{}/{what}", api(name));
    html! {
        @match status.spec_state.need().filter(|_| may_change) {
            Some(Need::Approve) => {
                a.button.primary href=(page(name)) { "Read and decide" }
                button data-post=(post("approve")) { "Approve" }
            }
            Some(Need::Decide | Need::Failed | Need::Resume) => {
                button.primary data-post=(post("resume")) { "Resume" }
                a.button href=(page(name)) { "Open" }
            }
            Some(Need::Reset) => {
                button.primary data-post=(post("reset")) data-confirm={
                    "Reset " (name) "? Its counters of rounds and retries and its failure are forgotten."
                } { "Reset" }
                a.button href=(page(name)) { "Open" }
            }
            None => a.button href=(page(name)) { "Open" }
        }
    }
}

pub fn running(specs: &[&Status], may_change: bool) -> Markup {
    block("running", "Running", specs, |status| {
        run(status, may_change)
    })
}

/// A block with a title and a count, if there is anything to show.
fn block<T>(id: &str, title: &str, items: &[T], item: impl Fn(&T) -> Markup) -> Markup {
    html! {
        @if !items.is_empty() {
            section id=(id) aria-labelledby={ (id) "-title" } {
                h2 id={ (id) "-title" } { (title) " " span.count { (items.len()) } }
                ul.asks.card { @for each in items { (item(each)) } }
            }
        }
    }
}

fn run(status: &Status, may_change: bool) -> Markup {
    let name = &status.spec;
    let agent = status.agents.first();
    let below = html! {
        div.facts {
            @if status.tasks.total > 0 {
                (progress(status.tasks.done, status.tasks.total, "tasks"))
            }
            @if let Some(agent) = agent {
                @if let Some(started) = &agent.started_at {
                    span title="Since the agent started" { (since(started)) }
                }
                a href={ (page(name)) "/agents/" (segment(&agent.id)) } { "Log" }
            }
            @if status.cost_usd > 0.0 {
                span title="Cost of all its agents" { (money(status.cost_usd)) }
            }
            @if let Some(ending) = ending(status) { span { (sentence(ending)) } }
        }
        @if may_change {
            div.actions {
                button data-post={ (api(name)) "/pause" }
                    title="The agent may finish; nothing new begins" { "Pause" }
                button.danger data-post={ (api(name)) "/stop" }
                    title="Ends the agent; finished rounds stay" { "Stop" }
            }
        }
    };
    item(status, &html! { span { (place(status)) } }, &below)
}

/// The page already shows that an agent works, but not that the run ends after it.
fn ending(status: &Status) -> Option<&str> {
    let is_last = matches!(
        status.spec_state,
        SpecState::Finishing | SpecState::Stopping
    );
    status.message.as_deref().filter(|_| is_last)
}

/// Phase, step, round and retry, as far as they add something.
fn place(status: &Status) -> Markup {
    let phase = status.phase.map_or("", Phase::name);
    let step = status.step.map(Step::name).filter(|step| *step != phase);
    html! {
        strong { (phase) }
        @if let Some(step) = step { " · " (step) }
        @if let Some(round) = status.round {
            " · round " (round)
            @if let Some(max) = status.rounds_max { "/" (max) }
        }
        @if let (Some(retry @ 1..), Some(max)) = (status.attempt, status.attempts_max) {
            " · retry " (retry) "/" (max)
        }
    }
}

pub fn limited(specs: &[&Status], may_change: bool) -> Markup {
    let title = "Waiting for a usage limit";
    block("limited", title, specs, |status| limit(status, may_change))
}

fn limit(status: &Status, may_change: bool) -> Markup {
    let name = &status.spec;
    let end = html! { @if let Some(at) = &status.until { span.muted { (until(at)) } } };
    let below = html! {
        (why(status))
        @if may_change {
            div.actions {
                button data-post={ (api(name)) "/resume" } { "Try now" }
                button.danger data-post={ (api(name)) "/stop" } { "Stop" }
            }
        }
    };
    item(status, &end, &below)
}

pub fn contests(boards: &[Board]) -> Markup {
    block("contests", "Contests", boards, contest)
}

fn contest(board: &Board) -> Markup {
    let round = board.teams.iter().map(|team| team.current_round).max();
    let leader = board.teams.iter().find(|team| team.rank == Some(1));
    let page = format!("/contests/{}", segment(&board.execution_id));
    html! {
        li id={ "contest-" (board.execution_id) } data-item {
            div.who {
                a.name href=(page) { (cut(&board.task.replace('`', ""), 80)) }
                (badge(board.state))
                span {
                    strong { "round " (round.unwrap_or(0)) }
                    @if let Some(max) = board.rounds_max { strong { "/" (max) } }
                    " · " (board.teams.len()) " teams"
                }
            }
            div.facts {
                span {
                    @match leader.map(|leader| (&leader.team_name, leader.score)) {
                        Some((name, Some(score))) => { "Leader: " (name) ", " (score) }
                        _ => "No score yet",
                    }
                }
                @if board.cost_usd > 0.0 { span { (money(board.cost_usd)) } }
            }
            div.actions { a.button href=(page) { "Open" } }
        }
    }
}

/// From this many rows on, the browser lays out only the visible ones.
const MANY: usize = 100;
/// How many rows of a long list are laid out together.
const CHUNK: usize = 50;

/// One short row per spec, because there may be a thousand.
pub fn others(specs: &[&Status], all: usize, haste: Haste) -> Markup {
    let title = match specs.len() == all {
        true => "Specs ",
        false => "Other specs ",
    };
    html! {
        section #others aria-labelledby="others-title" {
            @if all == 0 {
                h2 #others-title { "Specs" }
                p.empty {
                    "There is no spec yet. Make one with \"New spec\", or with "
                    code { "kumite new NAME" } "."
                }
            } @else if !specs.is_empty() {
                div.row {
                    h2 #others-title.grow { (title) span.count { (specs.len()) } }
                    span.small.muted data-filtered aria-live="polite" {}
                    input type="search" data-filter="#specs" placeholder="Filter by name or state"
                        aria-label="Filter by name or state" autocomplete="off" spellcheck="false";
                }
                div #specs.rows.many[specs.len() > MANY] {
                    (later::chunks(haste, specs, CHUNK, &chunk))
                }
            }
        }
    }
}

fn chunk(index: usize, specs: &[&Status]) -> Markup {
    html! { ul.chunk id={ "specs-" (index) } { @for status in specs { (row(status)) } } }
}

fn row(status: &Status) -> Markup {
    let name = &status.spec;
    let tasks = status.tasks;
    html! {
        li id={ "spec-" (name) } data-item {
            a href=(page(name)) {
                b { (name) }
                (badge(status.state))
                span { (status.phase.map_or("", Phase::name)) }
                span { (status.message.as_deref().unwrap_or_default().replace('`', "")) }
                span { @if tasks.total > 0 { (tasks.done) "/" (tasks.total) } }
                span { @if status.cost_usd > 0.0 { (money(status.cost_usd)) } }
            }
        }
    }
}

fn page(spec: &str) -> String {
    format!("/specs/{}", segment(spec))
}

fn api(spec: &str) -> String {
    format!("/api/specs/{}", segment(spec))
}
