//! All news of a contest, the newest first.

use kumite_contest::announce::News;
use kumite_core::contest::What;
use kumite_project::clock::rfc3339;
use maud::{Markup, html};

use super::board::name;
use super::seen::SeenContest;
use crate::render::words::{cut, moment};
use crate::render::{self, Column::Text};

const LINES_MAX: usize = 100;

pub fn happened(seen: &SeenContest) -> Markup {
    html! {
        @if !seen.news.is_empty() {
            section {
                details.fold #happened {
                    summary { "What happened" span.muted.small { (seen.news.len()) } }
                    (render::table(&[Text("Time"), Text("Team"), Text("What")], &html! {
                        @for news in seen.news.iter().rev().take(LINES_MAX) {
                            tr {
                                td.nowrap { (moment(&rfc3339(news.at_ms))) }
                                td { (team(seen, news)) }
                                td { (sentence(&news.what)) }
                            }
                        }
                    }))
                    @if seen.news.len() > LINES_MAX {
                        p.muted.small { "The newest " (LINES_MAX) " of " (seen.news.len()) "." }
                    }
                }
            }
        }
    }
}

fn team(seen: &SeenContest, news: &News) -> String {
    let line = news.team.and_then(|team| seen.line(team as usize));
    line.map(|line| cut(name(line), 40)).unwrap_or_default()
}

fn sentence(what: &What) -> String {
    match what {
        What::ContestStarted { teams, rounds_max } => {
            format!("the contest began: {teams} teams, at most {rounds_max} rounds")
        }
        What::ContestResumed => "the contest goes on".to_owned(),
        What::RoundStarted { round } => format!("round {round} began"),
        What::Submitted { round } => format!("round {round} was handed in"),
        What::RoundScored { round, score, rank } => match rank {
            Some(rank) => format!("round {round}: {score}, now place {rank}"),
            None => format!("round {round}: {score}"),
        },
        What::RoundFailed { round, why } => format!("round {round} failed: {}", cut(why, 300)),
        What::Judged { round, judgment } => {
            let verdict = if judgment.should_continue {
                "go on"
            } else {
                "end here"
            };
            format!(
                "round {round}, the judge: {verdict}. {}",
                cut(&judgment.reasoning, 300)
            )
        }
        What::Trouble {
            round,
            part,
            attempt,
            why,
        } => format!(
            "round {round}, trouble with the {}, try {attempt}: {}",
            part.name(),
            cut(why, 300)
        ),
        What::TeamEnded {
            reason, message, ..
        } => {
            let message = message.as_deref().map(|it| format!(": {}", cut(it, 300)));
            format!(
                "{}, {}{}",
                reason.fate().name(),
                reason.name().replace('_', " "),
                message.unwrap_or_default()
            )
        }
        What::ContestEnded { end, winner } => match winner {
            Some((winner, score)) => {
                format!("the contest ended: {} won with {score}", cut(winner, 60))
            }
            None => format!("the contest ended: {}", end.name()),
        },
    }
}
