//! Every checker can object: real traces are manipulated, and the right rule must be broken.

use std::rc::Rc;

use kumite_core::change::Change;
use kumite_core::engine::EffectKey;
use kumite_core::facts::Permitted;
use kumite_core::journal::{AgentId, Event};
use kumite_core::names::{Document, Phase};
use kumite_core::notice::{NextAction, Notice};
use kumite_core::run::{Halt, Run, State, Step};

mod ends;
mod follows;
mod limits;
mod trust;

use crate::check::{Verdict, Watch};
use crate::specs::SpecStory;
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::{TraceLine, What};
use crate::story::{Story, Terms};
use crate::world;

/// Checks a whole trace, for example a manipulated one.
fn check(lines: Vec<TraceLine>) -> Verdict {
    let mut watch = Watch::new(Run::default(), false);
    lines.into_iter().for_each(|line| watch.see(line));
    watch.broken().cloned().map_or(Ok(()), Err)
}

/// Takes the first seed whose trace `tamper` can change, and checks that it breaks `rule`.
fn breaks(rule: &str, tamper: impl Fn(&mut Vec<TraceLine>) -> Option<()>) {
    let spoiled = (0..2_000).find_map(|seed| {
        let mut lines = world::play(SpecStory::draw(seed), true).watch.lines();
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

fn find(lines: &[TraceLine], fits: impl Fn(&What) -> bool) -> Option<usize> {
    lines.iter().position(|line| fits(&line.what))
}

/// Inserts `what` for the same spec right after line `at`.
fn insert(lines: &mut Vec<TraceLine>, at: usize, what: What) -> Option<()> {
    let line = TraceLine {
        what,
        ..lines[at].clone()
    };
    lines.insert(at + 1, line);
    Some(())
}

/// The first matching line after `at` about the same spec.
fn next(lines: &[TraceLine], at: usize, fits: impl Fn(&What) -> bool) -> Option<usize> {
    let spec = lines[at].machine;
    let behind = lines.iter().enumerate().skip(at + 1);
    let mut of_spec = behind.filter(|(_, line)| line.machine == spec);
    of_spec.find(|(_, line)| fits(&line.what)).map(|(at, _)| at)
}

fn rules(lines: &mut [TraceLine]) -> Option<&mut kumite_core::journal::Rules> {
    match &mut lines[0].what {
        What::Began(Terms { rules, .. }) => Some(rules),
        _ => None,
    }
}

fn records(fits: impl Fn(&Event) -> bool) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Recorded(entry) if fits(&entry.event))
}

fn starts(what: &What) -> bool {
    matches!(what, What::Started(..))
}

fn decides(fits: impl Fn(&State) -> bool) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Decided(run) if fits(&run.state))
}

#[test]
fn a_second_agent_at_the_same_time_is_noticed() {
    breaks("at most one agent works for a spec or a team", |lines| {
        let at = find(lines, |what| matches!(what, What::Started(..)))?;
        insert(lines, at, What::Started(STRANGER, Step::Merge, None))
    });
}

#[test]
fn the_same_agent_twice_is_noticed() {
    breaks("one process per agent", |lines| {
        let at = find(lines, |what| matches!(what, What::Ended(..)))?;
        let What::Ended(agent, _) = lines[at].what else {
            return None;
        };
        insert(lines, at, What::Started(agent, Step::Merge, None))
    });
}

#[test]
fn one_agent_too_many_is_noticed() {
    breaks("no more agents than slots", |lines| {
        let What::Began(Terms {
            slots, machines, ..
        }) = &mut lines[0].what
        else {
            return None;
        };
        (*machines > 3 && *slots > 2).then(|| *slots = 1)
    });
}

#[test]
fn an_agent_that_nobody_started_is_noticed() {
    breaks("a machine waits for an agent that was started", |lines| {
        insert(lines, 0, What::Adopted(STRANGER))
    });
}

#[test]
fn a_process_left_behind_is_noticed() {
    breaks("no process is left behind", |lines| {
        let before_the_end = lines.len() - 2;
        insert(
            lines,
            before_the_end,
            What::Started(STRANGER, Step::Merge, None),
        )
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
            insert(lines, at, What::Started(STRANGER, Step::Merge, None))
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
            idle.then(|| insert(lines, at, What::Started(STRANGER, Step::Merge, None)))?
        },
    );
}

#[test]
fn an_eighth_round_is_noticed() {
    breaks("no more rounds than allowed", |lines| {
        let goes_on = |what: &What| match what {
            What::Own(News::Announced(_, Notice::RoundEnded { round, next, .. })) => {
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
        find(lines, |what| {
            matches!(what, What::Started(_, Step::Fix(_), _))
        })?;
        find(
            lines,
            |what| matches!(what, What::Started(_, Step::Inspect(r), _) if r.number == 2),
        )?;
        rules(lines)?.inspections_max = 1;
        Some(())
    });
}

#[test]
fn one_retry_too_many_is_noticed() {
    breaks("no more retries than allowed", |lines| {
        let retry =
            |what: &What| matches!(what, What::Started(_, Step::Implement(a), _) if a.retry > 1);
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
        insert(lines, at, What::Started(STRANGER, Step::Merge, None))
    });
}

/// The end of the reply that asked for round 2, and its spec.
fn second_round(lines: &[TraceLine]) -> Option<(usize, Step)> {
    let second =
        |what: &What| matches!(what, What::Started(_, Step::Review(r), _) if r.number == 2);
    let begun = find(lines, second)?;
    let spec = lines[begun].machine;
    let ended = |line: &TraceLine| line.machine == spec && matches!(line.what, What::Ended(..));
    let at = begun + lines[begun..].iter().position(ended)?;
    match lines[begun].what {
        What::Started(_, step, _) => Some((at, step)),
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
        insert(
            lines,
            at,
            What::Started(STRANGER, Step::Review(round), None),
        )
    });
}

#[test]
fn a_finished_reply_that_is_done_again_is_noticed() {
    breaks("what ended well is never done again", |lines| {
        let (at, _) = second_round(lines)?;
        let spec = lines[at].machine;
        let earlier = lines[..at].iter().rev();
        let reply = earlier
            .filter(|line| line.machine == spec)
            .find_map(|line| match line.what {
                What::Started(_, step @ Step::Reply(r), _) if r.number == 1 => Some(step),
                _ => None,
            })?;
        insert(lines, at, What::Started(STRANGER, reply, None))
    });
}

#[test]
fn a_forgotten_entry_is_noticed() {
    breaks("the journal counts without a gap", |lines| {
        let at = find(
            lines,
            records(|event| matches!(event, Event::AgentEnded { .. })),
        )?;
        let spec = lines[at].machine;
        lines.remove(at);
        // The consequences are removed too, so that only the gap is left to notice.
        let next =
            |line: &TraceLine| line.machine == spec && matches!(line.what, What::Recorded(_));
        let end = at + lines[at..].iter().position(next)?;
        let mut index = 0;
        lines.retain(|line| {
            index += 1;
            index <= at || index > end || line.machine != spec
        });
        Some(())
    });
}

#[test]
fn an_engine_that_believes_something_else_is_noticed() {
    breaks("replay equals state", |lines| {
        let at = find(lines, decides(|state| matches!(state, State::Working(_))))?;
        lines[at].what = What::Decided(Rc::default());
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
        lines[at].what = What::Replayed(Rc::default());
        Some(())
    });
}

#[test]
fn an_approval_that_no_entry_asked_for_is_noticed() {
    breaks(
        "every change of spec.json belongs to a recorded entry",
        |lines| {
            let at = find(lines, |what| matches!(what, What::Own(News::Saved(..))))?;
            let key = EffectKey { seq: 1, index: 0 };
            let changes = vec![Change::Approved(Document::Design), Change::ReviewApproved];
            insert(lines, at, What::Own(News::Saved(key, changes)))
        },
    );
}

#[test]
fn a_merge_on_a_permission_that_appeared_while_an_agent_worked_is_noticed() {
    breaks(
        "a permission that appears while an agent works is nobody's",
        |lines| {
            let merge = find(lines, |what| {
                matches!(what, What::Started(_, Step::Merge, _))
            })?;
            let spec = lines[merge].machine;
            let mut before = lines[..merge].iter();
            let at = before.rposition(|line| line.machine == spec && starts(&line.what))?;
            let all = Phase::ALL.into_iter().collect();
            insert(lines, at, What::Own(News::Done(None, Deed::Permit(all))))?;
            let none = What::Own(News::Done(None, Deed::Permit(Permitted::NONE)));
            let line = lines[at].clone();
            lines.insert(at, TraceLine { what: none, ..line });
            Some(())
        },
    );
}
