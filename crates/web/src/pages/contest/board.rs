//! The leader board, and the charts of scores and of time.

use kumite_contest::report::RoundReport;
use kumite_contest::view::{BoardLine, ContestState};
use kumite_core::contest::Reason;
use maud::{Markup, html};

use super::seen::SeenContest;
use crate::render::chart::{self, Bar, COLOURS, How, Lane, Point, Series};
use crate::render::words::{badge, cut, money, took};
use crate::render::{
    self,
    Column::{Number, Text},
};

/// More teams are folded, on the board and in the timeline; longer messages are cut.
pub const FIRST: usize = 20;
const LANES: usize = 12;
const WORDS: usize = 200;

pub fn board(seen: &SeenContest) -> Markup {
    let board = &seen.report.board;
    html! {
        section {
            h2 { "Leader board" }
            @if board.teams.is_empty() {
                p.empty { "The teams have not begun yet." }
            } @else {
                @let (first, more) = board.teams.split_at(board.teams.len().min(FIRST));
                (table(seen, first))
                @if !more.is_empty() {
                    details.fold #more-places {
                        summary { (more.len()) " more teams" }
                        (table(seen, more))
                    }
                }
            }
        }
    }
}

fn table(seen: &SeenContest, lines: &[BoardLine]) -> Markup {
    html! {
        (render::table(&[Number("Rank"), Text("Team"), Number("Best score"), Number("In round"), Number("Rounds"), Text("State"), Text("Now, or why it ended"), Number("Cost"), Number("Time")], &html! { @for line in lines { (row(seen, line)) } }))
    }
}

fn row(seen: &SeenContest, line: &BoardLine) -> Markup {
    let number = seen.number(&line.team_id);
    let is_winner = seen.report.board.winner.as_ref() == Some(&line.team_id);
    let is_own = seen.home.is_some();
    html! {
        tr #{ "place-" (number) } data-item {
            td.num { @match line.rank { Some(rank) => (rank), None => "–" } }
            td.name {
                (chart::swatch(seen.colour(number, COLOURS))) " "
                a href={ (seen.path()) "/teams/" (number) } title=(name(line)) { (cut(name(line), 40)) }
                @if is_winner { " " span.badge.done { "winner" } }
            }
            td.num { (score(line.score)) }
            td.num { @match line.round { Some(round) => (round), None => "–" } }
            td.num {
                (line.rounds)
                @if let Some(max) = seen.report.board.rounds_max { "/" (max) }
            }
            td { (badge(line.state)) }
            td.wide { (reason(line)) }
            td.num { @if is_own { (money(line.cost_usd)) } @else { "–" } }
            td.num { @if is_own { (took(line.seconds)) } @else { "–" } }
        }
    }
}

fn reason(line: &BoardLine) -> Markup {
    html! {
        @if let Some(doing) = &line.doing {
            "round " (line.current_round) ": " (doing)
        }
        @if let Some(reason) = &line.exit_reason {
            span title=(reason) { (exit_words(reason)) }
        }
        @if let Some(message) = &line.message {
            div.small.muted title=(message) { (cut(message, WORDS)) }
        }
    }
}

/// The meaning of the word in the database. Other programs may have their own words.
fn exit_words(word: &str) -> &str {
    let Some(reason) = Reason::ALL.into_iter().find(|it| it.name() == word) else {
        return word;
    };
    match reason {
        Reason::MaxRoundsReached => "all rounds played",
        Reason::NoImprovementExpected => "the judge expects no more",
        Reason::BudgetReached => "the budget is spent",
        Reason::SubmissionTimeout => "a submission took too long",
        Reason::EvaluatorFailure => "it could not be evaluated",
        Reason::DatabaseFailure => "it could not be saved",
        Reason::PartialFailure => "it broke after a good round",
        Reason::PartialFailureTimeout => "out of time after a good round",
        Reason::SubmissionFailure => "it broke",
        Reason::TeamTimeout => "out of time",
        Reason::ContestTimeout => "the contest ran out of time",
        Reason::NoValidSubmission => "no round was good",
        Reason::Cancelled => "cancelled",
    }
}

/// A team may have no name in a database; then its id is shown.
pub fn name(line: &BoardLine) -> &str {
    match line.team_name.trim() {
        "" => &line.team_id,
        name => name,
    }
}

pub fn score(score: Option<f64>) -> String {
    score.map_or("–".to_owned(), |score| format!("{score:.2}"))
}

pub fn charts(seen: &SeenContest) -> Markup {
    let series: Vec<Series> = seen
        .report
        .board
        .teams
        .iter()
        .map(|it| series(seen, it))
        .collect();
    let lanes: Vec<Lane> = seen
        .report
        .board
        .teams
        .iter()
        .map(|it| lane(seen, it))
        .collect();
    let (first, more) = lanes.split_at(lanes.len().min(LANES));
    // While the contest runs the lines grow, but the axis stays.
    let rounds = match seen.report.board.state {
        ContestState::Running => seen.report.board.rounds_max.unwrap_or(0),
        ContestState::Stopped
        | ContestState::Done
        | ContestState::Failed
        | ContestState::Cancelled => 0,
    };
    html! {
        @if let Some(figure) = chart::scores(&series, rounds) {
            section {
                h2 { "Scores over rounds" }
                (figure)
                details.fold #scores-table {
                    summary { "Scores as a table" }
                    (chart::scores_table(&series))
                }
            }
        }
        @if let Some(figure) = chart::timeline(first, seen.now_ms) {
            section {
                h2 { "Rounds in time" }
                (figure)
                @if let Some(figure) = chart::timeline(more, seen.now_ms) {
                    details.fold #more-lanes {
                        summary { (more.len()) " more teams" }
                        (figure)
                    }
                }
            }
        }
    }
}

fn series(seen: &SeenContest, line: &BoardLine) -> Series {
    let number = seen.number(&line.team_id);
    let closed = seen.rounds(number).filter(|it| how(it) != How::Open);
    Series {
        name: cut(name(line), 60),
        colour: seen.colour(number, COLOURS),
        points: closed
            .map(|it| Point {
                round: it.round,
                score: it.score,
            })
            .collect(),
    }
}

fn lane(seen: &SeenContest, line: &BoardLine) -> Lane {
    let number = seen.number(&line.team_id);
    let bars = seen.rounds(number).filter_map(|round| {
        let (from_ms, to_ms) = seen.played(round)?;
        Some(Bar {
            round: round.round,
            from_ms,
            to_ms,
            how: how(round),
            words: words(round, from_ms, to_ms),
        })
    });
    Lane {
        name: cut(name(line), 60),
        colour: seen.colour(number, COLOURS),
        bars: bars.collect(),
    }
}

pub fn how(round: &RoundReport) -> How {
    match (&round.score, &round.failed, &round.ended_at) {
        (Some(_), _, _) => How::Scored,
        (None, Some(_), _) | (None, None, Some(_)) => How::Failed,
        (None, None, None) => How::Open,
    }
}

fn words(round: &RoundReport, from_ms: i64, to_ms: Option<i64>) -> String {
    let what = match (&round.score, &round.failed) {
        (Some(score), _) => format!("{score:.2}"),
        (None, Some(why)) => format!("failed: {}", cut(why, WORDS)),
        (None, None) if to_ms.is_some() => "no score".to_owned(),
        (None, None) => "under way".to_owned(),
    };
    match to_ms.and_then(|to_ms| u64::try_from(to_ms - from_ms).ok()) {
        Some(ms) => format!("{what}, in {}", took(ms as f64 / 1000.0)),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_scored_failed_or_open() {
        let round = |score, failed: Option<&str>, ended: Option<&str>| RoundReport {
            score,
            failed: failed.map(str::to_owned),
            ended_at: ended.map(str::to_owned),
            ..RoundReport::default()
        };
        assert_eq!(how(&round(Some(1.0), None, None)), How::Scored);
        assert_eq!(how(&round(None, Some("empty"), None)), How::Failed);
        assert_eq!(how(&round(None, None, None)), How::Open);
        // A row of mixseek without a score has ended nevertheless.
        assert_eq!(how(&round(None, None, Some("x"))), How::Failed);
    }

    #[test]
    fn every_reason_has_words() {
        for reason in Reason::ALL {
            let words = exit_words(reason.name());
            assert!(!words.contains('_'), "{words}");
        }
    }
}
