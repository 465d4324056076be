//! What every team did in every round: score, feedback, judgment, texts.

use kumite_contest::report::{MetricReport, RoundReport};
use kumite_contest::view::{BoardLine, TeamState};
use kumite_core::contest::What as Told;
use maud::{Markup, html};

use super::agent;
use super::board::{FIRST, how, name, score};
use super::seen::SeenContest;
use super::text::What;
use super::{LONG_TEXT_MAX, PAGE_TEXT_MAX, TEXT_MAX};
use crate::render::chart::{COLOURS, How, swatch};
use crate::render::words::{badge, cut, took};

/// A longer comment is folded.
const COMMENT_CHARS: usize = 280;

/// How much more text a page may show. A text that does not fit has its own page.
struct Room {
    left: u64,
    text_max: u64,
}

impl Room {
    fn take(&mut self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let fits = bytes <= self.left;
        self.left -= bytes.min(self.left);
        fits
    }
}

pub fn of_all(seen: &SeenContest, may_change: bool) -> Markup {
    let mut room = Room {
        left: PAGE_TEXT_MAX,
        text_max: TEXT_MAX,
    };
    let submissions = seen.report.rounds.len();
    html! {
        @if submissions > 0 {
            section {
                div.row {
                    h2.grow { "Rounds" }
                    @if submissions > 1 {
                        a.button href={ (seen.path()) "/compare" } { "Compare submissions" }
                    }
                }
                @let teams = &seen.report.board.teams;
                @let (first, more) = teams.split_at(teams.len().min(FIRST));
                @for line in first { (of_team(seen, line, may_change, &mut room)) }
                @if !more.is_empty() {
                    details.fold #more-teams {
                        summary { (more.len()) " more teams" }
                        div.stack {
                            @for line in more { (of_team(seen, line, may_change, &mut room)) }
                        }
                    }
                }
            }
        }
    }
}

fn of_team(seen: &SeenContest, line: &BoardLine, may_change: bool, room: &mut Room) -> Markup {
    let number = seen.number(&line.team_id);
    let is_winner = seen.report.board.winner.as_ref() == Some(&line.team_id);
    html! {
        details.fold #{ "team-" (number) } data-item open[is_winner] {
            summary {
                (swatch(seen.colour(number, COLOURS)))
                span.cut { (cut(name(line), 80)) }
                (badge(line.state))
                span.muted { "best " (score(line.score)) ", " (played(line.rounds)) }
            }
            @if room.left == 0 {
                p { a href=(team_path(seen, number)) { "The rounds of this team" } }
            } @else {
                (rounds(seen, number, may_change, room))
            }
        }
    }
}

fn played(rounds: u32) -> String {
    match rounds {
        1 => "1 round".to_owned(),
        count => format!("{count} rounds"),
    }
}

fn team_path(seen: &SeenContest, number: usize) -> String {
    format!("{}/teams/{number}", seen.path())
}

/// The page of one team.
pub fn of_one(seen: &SeenContest, number: usize, may_change: bool) -> Option<Markup> {
    let line = seen.line(number)?;
    let mut room = Room {
        left: 16 * PAGE_TEXT_MAX,
        text_max: LONG_TEXT_MAX,
    };
    Some(html! {
        p.small {
            a href="/contests" { "Contests" } " / "
            a href=(seen.path()) { (cut(&seen.report.board.task, 60)) }
        }
        div.row {
            h1 { (name(line)) }
            (badge(line.state))
            span.muted { "best " (score(line.score)) ", " (played(line.rounds)) }
        }
        @if let Some(message) = &line.message { p.why { (message) } }
        h2 { "Rounds" }
        (rounds(seen, number, may_change, &mut room))
    })
}

fn rounds(seen: &SeenContest, number: usize, may_change: bool, room: &mut Room) -> Markup {
    html! {
        div.stack {
            @for round in seen.rounds(number) { (of_round(seen, number, round, may_change, room)) }
            @if seen.rounds(number).next().is_none() {
                p.muted { "It has not begun a round yet." }
            }
        }
    }
}

fn of_round(
    seen: &SeenContest,
    number: usize,
    round: &RoundReport,
    may_change: bool,
    room: &mut Room,
) -> Markup {
    let id = format!("round-{number}-{}", round.round);
    let has_changes = seen.has_agents && seen.has_changes(number, round.round);
    html! {
        section.card.stack #(id) {
            div.row {
                h3 { "Round " (round.round) }
                @match how(round) {
                    How::Scored => strong { (score(round.score)) },
                    How::Failed => (badge(TeamState::Failed)),
                    How::Open => (badge(TeamState::Working)),
                }
                @if let Some(seconds) = seconds(seen, round) { span.muted.small { "in " (took(seconds)) } }
                span.grow {}
                (agent::links(seen, number, round.round))
                @if round.round > 1 {
                    a.small href={
                        (seen.path()) "/compare?a=" (number) ":" (round.round - 1) "&b=" (number) ":" (round.round)
                    } { "Compare with the round before" }
                }
                @if may_change && has_changes && how(round) == How::Scored {
                    button.small data-post={ "/api" (seen.path()) "/apply" }
                        data-body=(apply_body(round))
                        data-confirm={
                            "Apply the changes of this team, round " (round.round)
                            ", to the files of the project?"
                        } data-yes="Apply" {
                        "Apply these changes"
                    }
                }
            }
            @if let Some(why) = &round.failed { p.why { "It failed: " (cut(why, 2000)) } }
            (troubles(seen, number, round.round))
            @if !round.metrics.is_empty() { (metrics(&round.metrics, &id, room)) }
            (judgment(round))
            @for what in What::ALL {
                (folded(seen, (number, round), what, &id, room))
            }
        }
    }
}

fn apply_body(round: &RoundReport) -> String {
    serde_json::json!({ "team": round.team_id, "round": round.round }).to_string()
}

fn seconds(seen: &SeenContest, round: &RoundReport) -> Option<f64> {
    let (from, to) = seen.played(round)?;
    Some((to? - from) as f64 / 1000.0)
}

/// Failed tries.
fn troubles(seen: &SeenContest, number: usize, of: u32) -> Markup {
    let own = seen.news.iter().filter(|it| it.team == Some(number as u32));
    let found = own.filter_map(|news| match &news.what {
        Told::Trouble {
            round,
            part,
            attempt,
            why,
        } if *round == of => Some((part.name(), *attempt, why)),
        _ => None,
    });
    html! {
        @for (part, attempt, why) in found {
            p.small { span.muted { "Trouble with the " (part) ", try " (attempt) ": " } (cut(why, 600)) }
        }
    }
}

fn metrics(metrics: &[MetricReport], id: &str, room: &mut Room) -> Markup {
    html! {
        div.scroll {
            table.list.metrics {
                thead {
                    tr {
                        th scope="col" { "Metric" }
                        th.num scope="col" { "Score" }
                        th scope="col" { "What the evaluator says" }
                    }
                }
                tbody {
                    @for (index, metric) in metrics.iter().enumerate() {
                        tr {
                            td.nowrap {
                                (cut(&metric.name, 60))
                                @if metric.veto { " " span.badge.failed { "veto" } }
                            }
                            td.num { (score(Some(metric.score))) }
                            td { (comment(&metric.remark, &format!("{id}-comment-{index}"), room)) }
                        }
                    }
                }
            }
        }
    }
}

fn comment(remark: &str, id: &str, room: &mut Room) -> Markup {
    let short = cut(remark, COMMENT_CHARS);
    let is_whole = short.len() == remark.trim().len();
    html! {
        @if is_whole || !room.take(remark.len()) {
            (short)
        } @else {
            details #(id) {
                summary { (short) }
                pre.wrap { (remark) }
            }
        }
    }
}

fn judgment(round: &RoundReport) -> Markup {
    html! {
        @if let Some(goes_on) = round.should_continue {
            p {
                strong { @if goes_on { "Judge: go on" } @else { "Judge: end here" } }
                @if let Some(sure) = round.confidence_score {
                    span.muted { " (confidence " (format!("{sure:.2}")) ")" }
                }
                @if let Some(reasoning) = &round.reasoning { ": " (cut(reasoning, 1200)) }
            }
        }
    }
}

fn folded(
    seen: &SeenContest,
    (number, round): (usize, &RoundReport),
    what: What,
    id: &str,
    room: &mut Room,
) -> Markup {
    let whole = format!("{}/{}", seen.round_path(number, round.round), what.name());
    let bytes_max = room.text_max.min(room.left);
    let text = match what {
        What::Changes => seen.changes_beside(round, bytes_max),
        What::Submission | What::Prompt => seen.text(round, what, bytes_max),
    };
    let Some(text) = text else {
        return html! {};
    };
    let fits = room.left > 0 && room.take(text.text.len());
    html! {
        @if fits {
            details.fold #{ (id) "-" (what.name()) } {
                summary { (what.title()) }
                div { (text.show(&whole)) }
            }
        } @else {
            p.small { a href=(whole) target="_blank" { (what.title()) ", as plain text" } }
        }
    }
}
