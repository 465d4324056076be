//! What a contest is about, its state, and what a person can do.

use kumite_contest::view::ContestState;
use maud::{Markup, html};

use super::seen::SeenContest;
use crate::render::marks;
use crate::render::words::{badge, cut, moment, money, since, took};

/// A longer task is folded.
const TASK_CHARS: usize = 140;

pub fn head(seen: &SeenContest, may_change: bool) -> Markup {
    let board = &seen.report.board;
    let task = board.task.trim();
    let short = cut(task, TASK_CHARS);
    html! {
        section.stack {
            p.small { a href="/contests" { "Contests" } }
            h1 { @if short.is_empty() { "Contest" } @else { (short) } }
            @if short != task {
                details.fold #task {
                    summary { "The whole task" }
                    pre { (task) }
                }
            }
            div.row {
                (badge(board.state))
                @if let Some(winner) = winner(seen) { span { "Winner: " strong { (winner) } } }
                span.muted {
                    @match &seen.since {
                        Some(at) => { "runs for " (since(at, board.elapsed_seconds)) },
                        None => { "took " (took(board.elapsed_seconds)) },
                    }
                }
                @if board.cost_usd > 0.0 || board.input_tokens > 0 {
                    span.muted {
                        (money(board.cost_usd)) ", "
                        (marks::count(board.input_tokens)) " tokens in, "
                        (marks::count(board.output_tokens)) " out"
                    }
                }
                span.muted { "began " (moment(&seen.created_at)) }
                span.muted.mono.small { (seen.id) }
            }
            @if let Some(why) = why(seen) { p.why { (why) } }
            @if may_change { (actions(seen)) }
        }
    }
}

/// The winner with its score.
fn winner(seen: &SeenContest) -> Option<String> {
    let board = &seen.report.board;
    let id = board.winner.as_ref()?;
    let line = board.teams.iter().find(|it| it.team_id == *id)?;
    Some(match line.score {
        Some(score) => format!("{}, {score:.2}", line.team_name),
        None => line.team_name.clone(),
    })
}

fn why(seen: &SeenContest) -> Option<String> {
    let board = &seen.report.board;
    if seen.home.is_none() {
        return Some(
            "Kumite did not play this contest: what the database says of it is shown.".to_owned(),
        );
    }
    if let Some(why) = &board.unsaved {
        return Some(format!(
            "The database lacks the result: {why}. `kumite contest resume {}` writes it.",
            seen.id
        ));
    }
    let why = match board.state {
        ContestState::Stopped => "Nobody plays it. Resume goes on where it was.",
        ContestState::Failed => "No team came to a result; the board says why.",
        ContestState::Cancelled => {
            "It was cancelled, so there is no winner; what was finished stays."
        }
        ContestState::Running | ContestState::Done => return None,
    };
    Some(why.to_owned())
}

fn actions(seen: &SeenContest) -> Markup {
    let board = &seen.report.board;
    let is_own = seen.home.is_some();
    let is_running = board.state == ContestState::Running;
    let can_go_on = is_own && board.state == ContestState::Stopped;
    let best = best_changes(seen);
    html! {
        @if is_running || can_go_on || best.is_some() {
            div.actions {
                @if can_go_on {
                    button.primary data-post={ "/api" (seen.path()) "/resume" } { "Resume" }
                }
                @if let Some((name, number, round)) = best {
                    button.primary data-post={ "/api" (seen.path()) "/apply" }
                        data-confirm={
                            "Apply the changes of " (name) ", round " (round)
                            ", to the files of the project? Your own changes to other files stay."
                        } data-yes="Apply" {
                        "Apply the winner's changes"
                    }
                    a.button href={ (seen.round_path(number, round)) "/changes" } target="_blank" {
                        "See them"
                    }
                }
                @if is_running || can_go_on {
                    button.danger data-post={ "/api" (seen.path()) "/cancel" }
                        data-confirm="Cancel this contest? It ends for good, without a winner; what is finished stays on the board."
                        data-yes="End the contest" {
                        "Cancel contest"
                    }
                }
            }
        }
    }
}

/// The file changes of the winner: its name, its number, and the round.
fn best_changes(seen: &SeenContest) -> Option<(String, usize, u32)> {
    let winner = seen.report.board.winner.as_ref()?;
    let number = seen.number(winner);
    let line = seen.line(number)?;
    let round = line.round?;
    let changed = seen.has_agents && seen.has_changes(number, round);
    changed.then(|| (line.team_name.clone(), number, round))
}
