//! Compares the end of a contest with the books: exits, scores, ranks, the winner, money and time.

use kumite_core::contest::{Contest, Fate, Reason, Verdict as Of};

use super::book::{Book, Team};
use super::exits;
use crate::check::{Broken, Verdict, broken};
use crate::contest::played::Core;

/// A team's result by the books.
pub struct Outcome {
    /// In hundredths, with its round: the highest, and the latest of equal ones.
    pub best: Option<(u64, u32)>,
    pub reason: Reason,
}

impl Outcome {
    pub fn is_disqualified(&self) -> bool {
        matches!(
            self.reason,
            Reason::SubmissionTimeout | Reason::EvaluatorFailure | Reason::DatabaseFailure
        )
    }
}

pub fn check(core: Core, book: &Book, contest: &Contest) -> Verdict {
    let results = results(book, contest)?;
    for (index, (team, of)) in book.teams.iter().zip(&contest.teams).enumerate() {
        if of.used != team.used || of.used_ms != team.used_ms {
            return broken(
                "a team is charged what it used, and nothing else",
                format!(
                    "team {index}: {:?} and {} ms, by the books {:?} and {} ms",
                    of.used, of.used_ms, team.used, team.used_ms
                ),
            );
        }
    }
    in_time(book)?;
    if contest.house != book.house {
        return broken(
            "the house is charged what it used, and nothing else",
            format!("{:?}, by the books {:?}", contest.house, book.house),
        );
    }
    ranks(core, contest, &results)?;
    let winner = winner(book, &results);
    match (core.winner)(contest) == winner {
        true => Ok(()),
        false => broken(
            "the winner is right, and never disqualified",
            format!("{:?}, by the books {winner:?}", (core.winner)(contest)),
        ),
    }
}

/// No team works longer than allowed, except for the try in which its time ran out.
fn in_time(book: &Book) -> Verdict {
    let rules = &book.rules;
    let metrics = rules.metrics.iter().map(|metric| metric.timeout_ms);
    let others = [rules.submission_timeout_ms, rules.judgment_timeout_ms];
    let longest_ms = metrics.chain(others).max().unwrap_or(0);
    let limit_ms = rules.team_timeout_ms.unwrap_or(u64::MAX);
    let late = book
        .teams
        .iter()
        .position(|team| team.used_ms > limit_ms.saturating_add(longest_ms));
    match late {
        // A clock that jumps ahead makes every team late.
        Some(team) if !book.clock_jumped => broken(
            "no team is over its time by more than a try",
            format!("team {team}: {} ms", book.teams[team].used_ms),
        ),
        _ => Ok(()),
    }
}

/// The results by the books; the state must match them.
pub fn results(book: &Book, contest: &Contest) -> Result<Vec<Outcome>, Broken> {
    let mut results = Vec::new();
    for (index, (team, of)) in book.teams.iter().zip(&contest.teams).enumerate() {
        let says = |rule, why: String| {
            Err(Broken {
                rule,
                sentence: format!("team {index}: {why}"),
            })
        };
        let Some(exit) = of.exit() else {
            return says("every team has an end", format!("{:?}", of.phase));
        };
        let reason = exit.reason;
        if !exits::fits(book, team, reason) {
            return says("every end has what it takes", format!("{reason:?}"));
        }
        let scores: Vec<Option<u64>> = scores(book, team);
        let told = of.rounds.iter().map(|round| match &round.verdict {
            Of::Scored { score, .. } => Some(score.hundredths()),
            Of::Open | Of::Failed { .. } => None,
        });
        if told.collect::<Vec<_>>() != scores {
            return says(
                "no round is lost, doubled or scored wrongly",
                format!("{scores:?}"),
            );
        }
        let best = (1u32..).zip(&scores);
        let best = best.filter_map(|(number, score)| Some(((*score)?, number)));
        let result = Outcome {
            best: best.max(),
            reason,
        };
        if result.is_disqualified() != (reason.fate() == Fate::Disqualified) {
            return says("who is disqualified", format!("{reason:?}"));
        }
        results.push(result);
    }
    Ok(results)
}

/// By round. An unfinished round of a disqualified or late team has no score.
pub fn scores(book: &Book, team: &Team) -> Vec<Option<u64>> {
    let rounds = team.rounds.iter();
    rounds.map(|round| round.score(&book.rules)).collect()
}

fn ranks(core: Core, contest: &Contest, results: &[Outcome]) -> Verdict {
    let lines = (core.standings)(contest);
    let mut seen: Vec<u32> = lines.iter().map(|line| line.team).collect();
    seen.sort_unstable();
    if seen != (0..results.len() as u32).collect::<Vec<_>>() {
        return broken("every team is on the board once", format!("{seen:?}"));
    }
    for line in lines {
        let of = &results[line.team as usize];
        let best = line.best.map(|(score, round)| (score.hundredths(), round));
        let better = results.iter().filter(|other| {
            let higher = other.best.map(|it| it.0) > of.best.map(|it| it.0);
            higher && !other.is_disqualified()
        });
        let ranked = of.best.is_some() && !of.is_disqualified();
        let rank = ranked.then_some(better.count() as u32 + 1);
        if line.rank != rank || best != of.best {
            return broken(
                "equal scores share a rank, and the disqualified have none",
                format!("{line:?}, by the books rank {rank:?} with {:?}", of.best),
            );
        }
    }
    Ok(())
}

/// The highest score; the first of equal teams.
pub fn winner(book: &Book, results: &[Outcome]) -> Option<u32> {
    if book.is_cancelled {
        return None;
    }
    let mut winner = None::<(u64, u32)>;
    for (team, result) in (0u32..).zip(results) {
        let Some((score, _)) = result.best.filter(|_| !result.is_disqualified()) else {
            continue;
        };
        if winner.is_none_or(|(highest, _)| score > highest) {
            winner = Some((score, team));
        }
    }
    winner.map(|(_, team)| team)
}
