//! The successor of an agent that had to leave: with other counts, in another session, or with its
//! work taken for done.

use kumite_core::journal::Event;
use kumite_core::outcome::{Limit, LimitKind, Outcome};
use kumite_core::run::{State, Step};

use super::{breaks, decides, find, next, records, starts};
use crate::specs::news::News;
use crate::specs::{TraceLine, What};

const COUNTS: &str = "who had to leave costs no round and no retry";
const SESSION: &str = "who follows goes on in the session that was left to it";
const FINISHED: &str = "who had to leave has finished nothing";

fn limit() -> Outcome {
    Outcome::Limited(Limit {
        kind: LimitKind::Usage,
        until_ms: None,
        words: String::new(),
    })
}

fn is_limit(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limited(_))
}

fn ends(fits: impl Fn(&Outcome) -> bool) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Ended(_, Some(ended)) if fits(&ended.outcome))
}

/// The automatic successor of an agent that ended in this way.
fn follower(lines: &[TraceLine], left: impl Fn(&Outcome) -> bool) -> Option<usize> {
    let at = find(lines, ends(left))?;
    let begun = next(lines, at, starts)?;
    let asked = records(|event| {
        matches!(
            event,
            Event::StartRequested { .. } | Event::Admitted { .. } | Event::EngineStarted
        )
    });
    let spec = lines[at].machine;
    let mut between = lines[at..begun].iter().filter(|line| line.machine == spec);
    between.all(|line| !asked(&line.what)).then_some(begun)
}

/// Changes the step of the agent that follows one at a limit.
fn steps(lines: &mut [TraceLine], other: impl Fn(Step) -> Option<Step>) -> Option<()> {
    let at = follower(lines, is_limit)?;
    let What::Started(_, step, _) = &mut lines[at].what else {
        return None;
    };
    *step = other(*step)?;
    Some(())
}

#[test]
fn a_retry_that_a_limit_costs_is_noticed() {
    breaks(COUNTS, |lines| {
        steps(lines, |step| match step {
            Step::Implement(attempt) => attempt.next().map(Step::Implement),
            _ => None,
        })
    });
}

#[test]
fn a_round_that_a_limit_costs_is_noticed() {
    breaks(COUNTS, |lines| {
        steps(lines, |step| match step {
            Step::Reply(round) => round.next().map(Step::Reply),
            _ => None,
        })
    });
    // The same round, but with one less left.
    breaks(COUNTS, |lines| {
        steps(lines, |step| match step {
            Step::Review(mut round) => {
                round.left = round.left.checked_sub(1)?;
                Some(Step::Review(round))
            }
            _ => None,
        })
    });
}

#[test]
fn a_step_that_a_limit_skips_is_noticed() {
    breaks(COUNTS, |lines| {
        steps(lines, |step| match step {
            Step::Write(_) => Some(Step::Merge),
            _ => None,
        })
    });
}

/// Gives the successor another session.
fn sessions(lines: &mut [TraceLine], at: usize, other: Option<&str>) -> Option<()> {
    let What::Started(_, _, session) = &mut lines[at].what else {
        return None;
    };
    let other = other.map(str::to_owned);
    let differs = *session != other;
    *session = other;
    differs.then_some(())
}

#[test]
fn a_session_that_a_limit_costs_is_noticed() {
    for other in [None, Some("of somebody else")] {
        breaks(SESSION, |lines| {
            let at = follower(lines, is_limit)?;
            sessions(lines, at, other)
        });
    }
}

#[test]
fn a_session_that_spent_money_costs_is_noticed() {
    breaks(SESSION, |lines| {
        let at = find(lines, ends(|it| matches!(it, Outcome::OverBudget(_))))?;
        let left = match &lines[at].what {
            What::Ended(_, Some(ended)) => ended.session.clone()?,
            _ => return None,
        };
        let at = next(lines, at, starts)?;
        let goes_on = matches!(&lines[at].what, What::Started(_, _, Some(it)) if *it == left);
        goes_on.then(|| sessions(lines, at, None))?
    });
}

#[test]
fn a_session_that_is_lost_because_its_agent_was_held_back_is_noticed() {
    breaks(SESSION, |lines| {
        let held = |what: &What| matches!(what, What::HeldBack(_, _, Some(_), _));
        let held = find(lines, held)?;
        let at = next(lines, held, starts)?;
        let goes_on = matches!(&lines[at].what, What::Started(_, _, Some(_)));
        goes_on.then(|| sessions(lines, at, None))?
    });
}

#[test]
fn a_session_that_a_reset_does_not_end_is_noticed() {
    breaks(SESSION, |lines| {
        let at = find(lines, records(|event| *event == Event::ResetRequested))?;
        let decided = next(lines, at, |what| matches!(what, What::Decided(_)))?;
        let idle = decides(|state| *state == State::Idle)(&lines[decided].what);
        let at = next(lines, at, starts)?;
        idle.then(|| sessions(lines, at, Some("from before")))?
    });
}

#[test]
fn a_session_of_a_lost_agent_that_is_exchanged_is_noticed() {
    breaks(SESSION, |lines| {
        let hung = find(lines, ends(|it| *it == Outcome::Hung))?;
        let at = follower(lines, |it| *it == Outcome::Hung)?;
        let resumed = matches!(&lines[at].what, What::Started(_, _, Some(_)));
        (resumed && hung < at).then(|| sessions(lines, at, Some("of somebody else")))?
    });
}

#[test]
fn a_session_that_is_gone_and_asked_for_again_is_noticed() {
    breaks(SESSION, |lines| {
        let at = follower(lines, |it| matches!(it, Outcome::SessionGone(_)))?;
        sessions(lines, at, Some("the one that is gone"))
    });
}

#[test]
fn work_that_counts_as_finished_when_its_agent_had_to_leave_is_noticed() {
    let gone = Outcome::SessionGone(String::new());
    let spent = Outcome::OverBudget(String::new());
    for outcome in [limit(), gone, spent] {
        breaks(FINISHED, |lines| {
            let wrote = |what: &What| matches!(what, What::Started(_, Step::Write(_), _));
            let at = find(lines, wrote)?;
            let at = next(lines, at, |what| matches!(what, What::Ended(..)))?;
            let saved = next(lines, at, |what| matches!(what, What::Own(News::Saved(..))))?;
            let generated = |what: &What| match what {
                What::Own(News::Saved(_, changes)) => changes
                    .iter()
                    .any(|it| matches!(it, kumite_core::change::Change::Generated(_))),
                _ => false,
            };
            let What::Ended(_, Some(ended)) = &mut lines[at].what else {
                return None;
            };
            let finished = std::mem::replace(&mut ended.outcome, outcome.clone());
            (finished == Outcome::Finished && generated(&lines[saved].what)).then_some(())
        });
    }
}
