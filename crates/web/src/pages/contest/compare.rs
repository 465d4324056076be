//! Two submissions, side by side.

use kumite_contest::report::RoundReport;
use kumite_contest::view::TeamState;
use maud::{Markup, html};

use super::LONG_TEXT_MAX;
use super::board::{name, score};
use super::seen::SeenContest;
use super::text::What;
use crate::api::Refusal;
use crate::render::words::{badge, cut};

/// A round of a team, written `TEAM:ROUND`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    team: usize,
    round: u32,
}

impl Choice {
    fn parse(text: &str) -> Option<Choice> {
        let (team, round) = text.split_once(':')?;
        Some(Choice {
            team: team.parse().ok()?,
            round: round.parse().ok()?,
        })
    }

    fn write(self) -> String {
        format!("{}:{}", self.team, self.round)
    }
}

pub fn page(seen: &SeenContest, a: Option<&str>, b: Option<&str>) -> Result<Markup, Refusal> {
    let (first, second) = proposal(seen);
    let a = chosen(seen, a, first)?;
    let b = chosen(seen, b, second)?;
    Ok(html! {
        p.small {
            a href="/contests" { "Contests" } " / "
            a href=(seen.path()) { (cut(&seen.report.board.task, 60)) }
        }
        h1 { "Submissions side by side" }
        @match (a, b) {
            (Some(a), Some(b)) => {
                form.row method="get" action={ (seen.path()) "/compare" } {
                    label { "Left " (choices(seen, "a", a)) }
                    label { "Right " (choices(seen, "b", b)) }
                    button type="submit" { "Compare" }
                    a.button href={ (seen.path()) "/compare?a=" (b.write()) "&b=" (a.write()) } { "Swap" }
                }
                div.beside {
                    (side(seen, a))
                    (side(seen, b))
                }
            }
            _ => p.empty { "There is no submission yet; the first one appears here as soon as it is handed in." },
        }
    })
}

/// The best rounds of the two best teams; with only one team, its last two rounds.
fn proposal(seen: &SeenContest) -> (Option<Choice>, Option<Choice>) {
    let best = seen.report.board.teams.iter().filter_map(|line| {
        Some(Choice {
            team: seen.number(&line.team_id),
            round: line.round?,
        })
    });
    let all = seen.report.rounds.iter().rev().map(|it| choice(seen, it));
    let mut found = best.collect::<Vec<_>>();
    for one in all {
        if found.len() < 2 && !found.contains(&one) {
            found.push(one);
        }
    }
    let first = found.first().copied();
    (first, found.get(1).copied().or(first))
}

fn choice(seen: &SeenContest, round: &RoundReport) -> Choice {
    Choice {
        team: seen.number(&round.team_id),
        round: round.round,
    }
}

fn chosen(
    seen: &SeenContest,
    asked: Option<&str>,
    otherwise: Option<Choice>,
) -> Result<Option<Choice>, Refusal> {
    let Some(asked) = asked else {
        return Ok(otherwise);
    };
    let found = Choice::parse(asked).filter(|it| seen.round(it.team, it.round).is_some());
    let wrong = || {
        Refusal::not_found(format!(
            "{asked:?} is no round of this contest; a round is written TEAM:ROUND, such as 0:1"
        ))
    };
    found.map(Some).ok_or_else(wrong)
}

fn choices(seen: &SeenContest, field: &str, chosen: Choice) -> Markup {
    html! {
        select name=(field) #{ "choice-" (field) } {
            @for line in &seen.report.board.teams {
                @let team = seen.number(&line.team_id);
                optgroup label=(cut(name(line), 60)) {
                    @for round in seen.rounds(team) {
                        @let it = choice(seen, round);
                        option value=(it.write()) selected[it == chosen] {
                            (cut(name(line), 40)) ", round " (round.round) ": " (score(round.score))
                        }
                    }
                }
            }
        }
    }
}

fn side(seen: &SeenContest, it: Choice) -> Markup {
    let (Some(line), Some(round)) = (seen.line(it.team), seen.round(it.team, it.round)) else {
        return html! {};
    };
    let whole = |what: What| format!("{}/{}", seen.round_path(it.team, it.round), what.name());
    html! {
        section.card.stack {
            div.row {
                h2 { (cut(name(line), 80)) }
                span.muted { "round " (it.round) }
                strong { (score(round.score)) }
                @if round.failed.is_some() { (badge(TeamState::Failed)) }
            }
            @if let Some(why) = &round.failed { p.why { (cut(why, 600)) } }
            @if !round.metrics.is_empty() {
                p.small.muted {
                    @for (index, metric) in round.metrics.iter().enumerate() {
                        @if index > 0 { ", " }
                        (cut(&metric.name, 40)) " " (score(Some(metric.score)))
                    }
                }
            }
            @match seen.text(round, What::Submission, LONG_TEXT_MAX) {
                Some(text) => (text.show(&whole(What::Submission))),
                None => p.muted { "Nothing was handed in." },
            }
            @if let Some(text) = seen.changes_beside(round, LONG_TEXT_MAX) {
                details.fold #{ "changes-" (it.team) "-" (it.round) } open {
                    summary { "Changes to files" }
                    div { (text.show(&whole(What::Changes))) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_comes_back_as_it_was_written() {
        let choice = Choice { team: 3, round: 12 };
        assert_eq!(Choice::parse(&choice.write()), Some(choice));
        for wrong in ["", "1", "a:1", "1:", "1:2:3", "-1:2", "1:99999999999"] {
            assert_eq!(Choice::parse(wrong), None, "{wrong}");
        }
    }
}
