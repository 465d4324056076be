//! D4, D9: when a round begins, and who is asked in it.

use kumite_core::contest::Effect;

use super::asked::{Key, asked};
use super::book::{Book, Heard, Team};
use super::round::Round;
use crate::check::{Verdict, broken};

pub fn check(book: &Book, heard: &Heard, order: &Effect) -> Verdict {
    match *order {
        Effect::Begin { team, round } => begins(book, heard, team, round),
        Effect::Submit { .. }
        | Effect::Measure { .. }
        | Effect::Judge { .. }
        | Effect::Save { .. } => asks(book, order),
        Effect::Launch { .. }
        | Effect::HandIn { .. }
        | Effect::Limit { .. }
        | Effect::SaveSummary { .. }
        | Effect::Halt { .. }
        | Effect::Announce(_)
        | Effect::End => Ok(()),
    }
}

fn begins(book: &Book, heard: &Heard, team: u32, number: u32) -> Verdict {
    let of = &book.teams[team as usize];
    if matches!(heard, Heard::Resumed) && number == of.number() {
        return Ok(());
    }
    let says = |rule, why: &str| broken(rule, format!("team {team}, round {number}: {why}"));
    if number != of.number() + 1 {
        let why = format!("after round {}", of.number());
        return says("rounds count without a gap, each of them once", &why);
    }
    if number > book.rules.rounds_max {
        return says("no team has more rounds than the maximum", "one too many");
    }
    if of.is_out || book.is_cancelled {
        return says("no round begins for a team that is out", "it is out");
    }
    if book.is_spent() {
        return says("no round begins when the budget is spent", "it is spent");
    }
    if of.left_ms(&book.rules) == 0 || book.left_ms() == 0 {
        return says("no round begins without time", "none is left");
    }
    match of.rounds.last() {
        None => Ok(()),
        Some(last) => may_follow(book, of, last)
            .or_else(|why| says("a round follows one that is saved and worth going on", why)),
    }
}

fn may_follow(book: &Book, of: &Team, last: &Round) -> Result<(), &'static str> {
    let rules = &book.rules;
    if last.saves == 0 || !of.open.is_empty() {
        return Err("the round before is not saved");
    }
    if last.is_malformed {
        return Ok(());
    }
    if last.score(rules).is_none() {
        return Err("the round before has no score");
    }
    let gave_up = last.failures(Key::Judge) == rules.judge_retries + 1;
    match (last.number < rules.rounds_min, last.judged) {
        (true, None) if last.failures(Key::Judge) == 0 => Ok(()),
        (true, _) => Err("the judge was asked below the minimum"),
        (false, Some(true)) => Ok(()),
        (false, None) if gave_up => Ok(()),
        (false, Some(false)) => Err("the judge said no"),
        (false, None) => Err("the judge was not asked often enough"),
    }
}

fn asks(book: &Book, order: &Effect) -> Verdict {
    let Some(asked) = asked(order) else {
        return Ok(());
    };
    let of = &book.teams[asked.team as usize];
    let Some(round) = of.rounds.last() else {
        return match asked.key {
            Key::Save => Ok(()),
            _ => broken("nothing is asked before a round", format!("{asked:?}")),
        };
    };
    let why = match asked.key {
        Key::Submit => Ok(()),
        Key::Metric(metric) => may_measure(book, round, metric),
        Key::Judge => may_judge(book, round),
        Key::Save => match of.open.keys().all(|key| *key == Key::Save) {
            true => Ok(()),
            false => Err("somebody still works for the team"),
        },
    };
    why.or_else(|why| {
        broken(
            "who is asked in a round, and when, is as it should be",
            format!("{asked:?}: {why}"),
        )
    })
}

fn may_measure(book: &Book, round: &Round, metric: u32) -> Result<(), &'static str> {
    let rule = &book.rules.metrics[metric as usize];
    let parts = || book.rules.metrics.iter().zip(&round.measures);
    let programs_spoke = parts().all(|(it, found)| !it.is_program || found.is_some());
    let program_vetoed =
        parts().any(|(it, found)| it.is_program && found.as_ref().is_some_and(|it| it.is_veto));
    if !round.is_given {
        return Err("there is nothing to measure");
    }
    match rule.is_program || (programs_spoke && !program_vetoed) {
        true => Ok(()),
        false => Err("the programs come first, and one may have vetoed"),
    }
}

fn may_judge(book: &Book, round: &Round) -> Result<(), &'static str> {
    let rules = &book.rules;
    if round.score(rules).is_none() {
        return Err("there is nothing to judge");
    }
    if round.number < rules.rounds_min {
        return Err("below the minimum nobody is asked");
    }
    if round.number >= rules.rounds_max && !rules.judge_on_final_round {
        return Err("nobody is to be asked at the maximum");
    }
    match round.failures(Key::Judge) <= rules.judge_retries {
        true => Ok(()),
        false => Err("it was asked often enough"),
    }
}
