//! Every checker can say no: real traces are tampered with, and the right rule must be broken.

use std::rc::Rc;

use kumite_core::change::Change;
use kumite_core::engine::EffectKey;
use kumite_core::facts::Permitted;
use kumite_core::journal::{AgentId, Event};
use kumite_core::names::{Document, Phase};
use kumite_core::notice::{NextAction, Notice};
use kumite_core::outcome::Outcome;
use kumite_core::run::{Finish, Halt, State, Step};

use super::{Watch, check};
use crate::deed::Deed;
use crate::trace::{Line, What};
use crate::world;

/// Takes the first seed whose trace `tamper` can spoil, and checks that `rule` is what it breaks.
fn breaks(rule: &str, tamper: impl Fn(&mut Vec<Line>) -> Option<()>) {
    let spoiled = (0..2_000).find_map(|seed| {
        let mut lines = world::play(seed, Watch::new(true, false)).watch.lines();
        assert_eq!(check(lines.clone()), Ok(()), "seed {seed} before");
        tamper(&mut lines).map(|()| lines)
    });
    let spoiled = spoiled.expect("some seed has what it takes");
    match check(spoiled) {
        Ok(()) => panic!("nobody noticed; {rule:?} should be broken"),
        Err(broken) => assert_eq!(broken.rule, rule, "{}", broken.sentence),
    }
}

const STRANGER: AgentId = AgentId {
    at_ms: 0,
    seq: 4711,
};

fn find(lines: &[Line], fits: impl Fn(&What) -> bool) -> Option<usize> {
    lines.iter().position(|line| fits(&line.what))
}

/// Says `what` of the same spec right after line `at`.
fn insert(lines: &mut Vec<Line>, at: usize, what: What) -> Option<()> {
    let line = Line {
        what,
        ..lines[at].clone()
    };
    lines.insert(at + 1, line);
    Some(())
}

fn rules(lines: &mut [Line]) -> Option<&mut kumite_core::journal::Rules> {
    match &mut lines[0].what {
        What::Began { rules, .. } => Some(rules),
        _ => None,
    }
}

fn records(fits: impl Fn(&Event) -> bool) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Recorded(entry) if fits(&entry.event))
}

fn decides(fits: impl Fn(&State) -> bool) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Decided(run) if fits(&run.state))
}

#[test]
fn a_second_agent_at_the_same_time_is_noticed() {
    breaks("at most one agent works on a spec", |lines| {
        let at = find(lines, |what| matches!(what, What::Started(..)))?;
        insert(lines, at, What::Started(STRANGER, Step::Merge))
    });
}

#[test]
fn the_same_agent_twice_is_noticed() {
    breaks("one process per agent", |lines| {
        let at = find(lines, |what| matches!(what, What::Ended(..)))?;
        let What::Ended(agent, _) = lines[at].what else {
            return None;
        };
        insert(lines, at, What::Started(agent, Step::Merge))
    });
}

#[test]
fn one_agent_too_many_is_noticed() {
    breaks("no more agents than slots", |lines| {
        let What::Began { jobs, specs, .. } = &mut lines[0].what else {
            return None;
        };
        (*specs > 3 && *jobs > 2).then(|| *jobs = 1)
    });
}

#[test]
fn an_agent_that_nobody_started_is_noticed() {
    breaks("a run waits for an agent that was started", |lines| {
        insert(lines, 0, What::Adopted(STRANGER))
    });
}

#[test]
fn a_process_left_behind_is_noticed() {
    breaks("no process is left behind", |lines| {
        let last = |line: &Line| matches!(line.what, What::Ended(..));
        let at = lines.iter().rposition(last)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn a_start_after_a_stop_is_noticed() {
    breaks(
        "nothing starts after a stop or a pause until a person asks again",
        |lines| {
            let at = find(
                lines,
                decides(
                    |state| matches!(state, State::Halted(h) if matches!(h.why, Halt::Stopped(_))),
                ),
            )?;
            insert(lines, at, What::Started(STRANGER, Step::Merge))
        },
    );
}

#[test]
fn a_start_after_a_pause_is_noticed() {
    breaks(
        "nothing starts after a stop or a pause until a person asks again",
        |lines| {
            let at = find(lines, records(|event| *event == Event::PauseRequested))?;
            let idle =
                matches!(&lines[at + 1].what, What::Decided(run) if run.state == State::Idle);
            idle.then(|| insert(lines, at, What::Started(STRANGER, Step::Merge)))?
        },
    );
}

#[test]
fn an_eighth_round_is_noticed() {
    breaks("no more rounds than allowed", |lines| {
        let goes_on = |what: &What| match what {
            What::Announced(_, Notice::RoundEnded { round, next, .. }) => {
                *round > 1 && *next == NextAction::Continue
            }
            _ => false,
        };
        find(lines, goes_on)?;
        rules(lines)?.rounds_max = 1;
        Some(())
    });
}

#[test]
fn one_inspection_too_many_is_noticed() {
    breaks("no more rounds than allowed", |lines| {
        find(lines, |what| matches!(what, What::Started(_, Step::Fix(_))))?;
        find(
            lines,
            |what| matches!(what, What::Started(_, Step::Inspect(r)) if r.number == 2),
        )?;
        rules(lines)?.inspections_max = 1;
        Some(())
    });
}

#[test]
fn one_retry_too_many_is_noticed() {
    breaks("no more retries than allowed", |lines| {
        let retry =
            |what: &What| matches!(what, What::Started(_, Step::Implement(a)) if a.retry > 1);
        find(lines, retry)?;
        rules(lines)?.retries_max = 1;
        Some(())
    });
}

#[test]
fn a_start_with_used_up_retries_is_noticed() {
    breaks("only a reset leaves used-up retries", |lines| {
        use kumite_core::run::Failure::RetriesExhausted;
        let locked = |state: &State| matches!(state, State::Halted(h) if h.why == Halt::Failed(RetriesExhausted));
        let at = find(lines, decides(locked))?;
        insert(lines, at, What::Started(STRANGER, Step::Merge))
    });
}

/// The end of the reply that asked for round 2, and its spec.
fn second_round(lines: &[Line]) -> Option<(usize, Step)> {
    let second = |what: &What| matches!(what, What::Started(_, Step::Review(r)) if r.number == 2);
    let begun = find(lines, second)?;
    let spec = lines[begun].spec;
    let ended = |line: &Line| line.spec == spec && matches!(line.what, What::Ended(..));
    let at = begun + lines[begun..].iter().position(ended)?;
    match lines[begun].what {
        What::Started(_, step) => Some((at, step)),
        _ => None,
    }
}

#[test]
fn a_round_that_goes_back_is_noticed() {
    breaks("round numbers only grow", |lines| {
        let (at, step) = second_round(lines)?;
        let Step::Review(mut round) = step else {
            return None;
        };
        round.number = 0;
        insert(lines, at, What::Started(STRANGER, Step::Review(round)))
    });
}

#[test]
fn a_finished_reply_that_is_done_again_is_noticed() {
    breaks("what ended well is never done again", |lines| {
        let (at, _) = second_round(lines)?;
        let spec = lines[at].spec;
        let earlier = lines[..at].iter().rev();
        let reply = earlier
            .filter(|line| line.spec == spec)
            .find_map(|line| match line.what {
                What::Started(_, step @ Step::Reply(r)) if r.number == 1 => Some(step),
                _ => None,
            })?;
        insert(lines, at, What::Started(STRANGER, reply))
    });
}

#[test]
fn a_forgotten_entry_is_noticed() {
    breaks("the journal counts without a gap", |lines| {
        let at = find(
            lines,
            records(|event| matches!(event, Event::AgentEnded { .. })),
        )?;
        let spec = lines[at].spec;
        lines.remove(at);
        // What followed from it goes too, so that only the gap is left to notice.
        let next = |line: &Line| line.spec == spec && matches!(line.what, What::Recorded(_));
        let end = at + lines[at..].iter().position(next)?;
        let mut index = 0;
        lines.retain(|line| {
            index += 1;
            index <= at || index > end || line.spec != spec
        });
        Some(())
    });
}

#[test]
fn an_engine_that_believes_something_else_is_noticed() {
    breaks("replay equals state", |lines| {
        let at = find(lines, decides(|state| matches!(state, State::Working(_))))?;
        lines[at].what = What::Decided(Box::default());
        Some(())
    });
}

#[test]
fn a_replay_that_gives_something_else_is_noticed() {
    breaks("replay equals state", |lines| {
        let at = find(
            lines,
            |what| matches!(what, What::Replayed(run) if run.state != State::Idle),
        )?;
        lines[at].what = What::Replayed(Box::default());
        Some(())
    });
}

#[test]
fn an_approval_that_no_entry_asked_for_is_noticed() {
    breaks(
        "every change of spec.json belongs to a recorded entry",
        |lines| {
            let at = find(lines, |what| matches!(what, What::Saved(..)))?;
            let key = EffectKey { seq: 1, index: 0 };
            let changes = vec![Change::Approved(Document::Design), Change::ReviewApproved];
            insert(lines, at, What::Saved(key, changes))
        },
    );
}

/// Nobody ever did what `deed` says.
fn undo(lines: &mut Vec<Line>, deed: impl Fn(&Deed) -> bool) -> Option<()> {
    let before = lines.len();
    lines.retain(|line| !matches!(&line.what, What::Done(_, done) if deed(done)));
    (lines.len() < before).then_some(())
}

#[test]
fn a_document_that_nobody_wrote_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| *deed == Deed::Document(Document::Design))
    });
}

#[test]
fn a_review_that_nobody_settled_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Reply(_)))
    });
}

#[test]
fn boxes_that_nobody_ticked_are_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Tick(1..)))
    });
}

#[test]
fn a_verdict_that_nobody_gave_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Inspection(_)))
    });
}

#[test]
fn a_merge_that_never_happened_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        let merged = find(lines, |what| matches!(what, What::Started(_, Step::Merge)))?;
        let What::Started(agent, _) = lines[merged].what else {
            return None;
        };
        let ended = find(
            lines,
            |what| matches!(what, What::Ended(id, Some(Outcome::Finished)) if *id == agent),
        )?;
        lines[ended].what = What::Ended(agent, None);
        let again =
            |line: &Line| matches!(line.what, What::Started(id, Step::Merge) if id != agent);
        (!lines.iter().any(again)).then_some(())
    });
}

#[test]
fn a_phase_that_was_permitted_after_all_is_noticed() {
    breaks("not permitted only if it is so", |lines| {
        let refused = |state: &State| matches!(state, State::Done(Finish::NotPermitted(_)));
        let at = find(lines, decides(refused))?;
        let entry = |line: &Line| matches!(line.what, What::Recorded(_));
        let recorded = lines[..at].iter().rposition(entry)?;
        let all: Permitted = Phase::ALL.into_iter().collect();
        let spec = lines[at].spec;
        let line = Line {
            spec,
            what: What::Done(None, Deed::Permit(all)),
            ..lines[recorded].clone()
        };
        lines.insert(recorded, line);
        Some(())
    });
}

#[test]
fn an_end_without_a_word_is_noticed() {
    breaks("every end is announced", |lines| {
        let at = find(lines, |what| {
            matches!(what, What::Announced(_, Notice::RunEnded { .. }))
        })?;
        let spec = lines[at].spec;
        let worked = |line: &Line| line.spec == spec && matches!(line.what, What::Started(..));
        lines[..at].iter().find(|line| worked(line))?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn a_reason_that_the_contract_does_not_know_is_noticed() {
    breaks("a reason is a word of the contract", |lines| {
        let word = |what: &What| matches!(what, What::Announced(_, Notice::RunEnded { .. }));
        let at = find(lines, word)?;
        if let What::Announced(_, Notice::RunEnded { reason, .. }) = &mut lines[at].what {
            *reason = "because".to_owned();
        }
        Some(())
    });
}

#[test]
fn a_run_that_never_ends_is_noticed() {
    breaks("everything ends once faults have stopped", |lines| {
        lines.last_mut()?.what = What::Over {
            out_of_patience: true,
        };
        Some(())
    });
}

#[test]
fn an_entry_that_was_changed_afterwards_is_noticed() {
    breaks("replay equals state", |lines| {
        let stopped = records(|event| matches!(event, Event::StopRequested { .. }));
        let at = find(lines, |what| stopped(what))?;
        let worked = matches!(&lines[at + 1].what, What::Decided(run) if matches!(run.state, State::Stopping { .. }));
        let What::Recorded(entry) = &lines[at].what else {
            return None;
        };
        let mut entry = (**entry).clone();
        entry.event = Event::PauseRequested;
        worked.then(|| lines[at].what = What::Recorded(Rc::new(entry)))
    });
}
