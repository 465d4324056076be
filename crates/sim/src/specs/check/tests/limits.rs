//! Limits: begun too early, waited for too long, taken for a failure, or not reported.

use std::rc::Rc;

use kumite_core::effect::Effect;
use kumite_core::journal::{Entry, Event, Rules, VERSION};
use kumite_core::notice::Notice;
use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome, Usage};
use kumite_core::run::{Failure, Halt, Halted, Pause, Rest, Resume, Run, State, Step, Wait};

use super::super::limits::Waits;
use super::{STRANGER, breaks, decides, find, insert, next, records, rules, starts};
use crate::check::Broken;
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

const TOO_EARLY: &str = "no agent begins before a limit ends";
const AS_REPORTED: &str = "a limit is waited for as reported, within reason";
const HELD: &str = "nothing starts after a stop or a pause until a person asks again";

fn limited(state: &State) -> bool {
    matches!(state, State::Limited(_))
}

fn noted(what: &What) -> bool {
    matches!(what, What::Noted { .. })
}

fn stranger() -> What {
    What::Started(STRANGER, Step::Merge, None)
}

#[test]
fn a_limited_run_that_begins_too_early_is_noticed() {
    breaks(TOO_EARLY, |lines| {
        let at = find(lines, noted)?;
        let at = next(lines, at, |what| matches!(what, What::Decided(_)))?;
        let waits = decides(limited)(&lines[at].what);
        // The one that follows after the limit begins at once.
        let follower = next(lines, at, starts)?;
        let early = lines[follower].what.clone();
        waits.then(|| insert(lines, at, early))?
    });
}

#[test]
fn another_run_of_a_limited_account_that_begins_is_noticed() {
    breaks(TOO_EARLY, |lines| {
        let held = |what: &What| matches!(what, What::HeldBack(_, _, _, Outcome::Limited(_)));
        let at = find(lines, held)?;
        if let What::HeldBack(agent, step, session, _) = &lines[at].what {
            lines[at].what = What::Started(*agent, *step, session.clone());
        }
        Some(())
    });
}

#[test]
fn a_clock_that_rings_too_early_is_noticed() {
    breaks(TOO_EARLY, |lines| {
        let cut = find(lines, |what| matches!(what, What::CutShort));
        let at = find(lines, decides(limited))?;
        let over = records(|event| matches!(event, Event::WaitOver { .. }));
        let at = next(lines, at, over)?;
        (lines[at].at_ms, lines[at].clock_ms) = (0, 0);
        cut.is_none().then_some(())
    });
}

#[test]
fn a_wait_that_nobody_cut_short_is_noticed() {
    breaks(TOO_EARLY, |lines| {
        let cut = find(lines, |what| matches!(what, What::CutShort))?;
        let last = lines[..cut].iter().rposition(|line| noted(&line.what))?;
        let What::Noted { until_ms } = lines[last].what else {
            return None;
        };
        let begun = next(lines, cut, starts)?;
        let others = &lines[cut + 1..begun];
        let alone = !others.iter().any(|line| noted(&line.what));
        let early = alone && lines[begun].at_ms < until_ms;
        lines.remove(cut);
        early.then_some(())
    });
}

#[test]
fn a_limit_that_nobody_else_hears_of_is_noticed() {
    breaks("who reaches a limit tells the others", |lines| {
        let at = find(lines, noted)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn a_wait_that_is_too_short_is_noticed() {
    breaks(AS_REPORTED, |lines| {
        find(lines, noted)?;
        rules(lines)?.limit.min_ms = u64::MAX / 2;
        Some(())
    });
}

#[test]
fn a_wait_that_is_too_long_is_noticed() {
    breaks(AS_REPORTED, |lines| {
        find(lines, noted)?;
        let limit = &mut rules(lines)?.limit;
        (limit.min_ms, limit.max_ms) = (0, 0);
        Some(())
    });
}

#[test]
fn a_reset_that_is_not_believed_is_noticed() {
    breaks(AS_REPORTED, |lines| {
        let min_ms = rules(lines)?.limit.min_ms;
        let at = find(lines, noted)?;
        let What::Noted { until_ms } = lines[at].what else {
            return None;
        };
        let spec = lines[at].machine;
        let ended = |line: &TraceLine| line.machine == spec && matches!(line.what, What::Ended(..));
        let ended = lines[..at].iter().rposition(ended)?;
        let sensible = until_ms > lines[at].at_ms + min_ms + 10;
        let What::Ended(_, Some(ended)) = &mut lines[ended].what else {
            return None;
        };
        let Outcome::Limited(limit) = &mut ended.outcome else {
            return None;
        };
        limit.until_ms = Some(until_ms - 1);
        sensible.then_some(())
    });
}

#[test]
fn a_run_that_sleeps_on_after_its_limit_is_noticed() {
    breaks("a wait ends soon after its limit", |lines| {
        let late = |state: &State| matches!(state, State::Limited(w) if w.wake_ms > w.until_ms);
        find(lines, decides(late))?;
        rules(lines)?.limit.jitter_ms = 0;
        Some(())
    });
}

fn announces_wait(what: &What) -> bool {
    matches!(
        what,
        What::Own(News::Announced(_, Notice::LimitWaiting { .. }))
    )
}

#[test]
fn a_limit_that_is_taken_for_a_failure_is_noticed() {
    breaks("a limit is no failure", |lines| {
        let at = find(lines, announces_wait)?;
        let What::Own(News::Announced(key, _)) = lines[at].what else {
            return None;
        };
        let failed = Notice::RunEnded {
            rest: Rest::Halted(Halt::Failed(Failure::AgentFailed)),
            message: String::new(),
        };
        lines[at].what = What::Own(News::Announced(key, failed));
        Some(())
    });
}

#[test]
fn a_wait_of_which_nobody_is_told_is_noticed() {
    breaks("every wait is announced", |lines| {
        let at = find(lines, announces_wait)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn a_run_that_waits_for_ever_is_noticed() {
    breaks("everything ends once faults have stopped", |lines| {
        let What::Began(Terms { machines: 1, .. }) = lines[0].what else {
            return None;
        };
        let at = find(lines, decides(limited))?;
        lines.truncate(at + 1);
        let over = What::Over {
            out_of_patience: true,
        };
        insert(lines, at, over)
    });
}

/// Where a waiting run received such an event, and obeyed.
fn told_in_wait(lines: &[TraceLine], told: impl Fn(&Event) -> bool + Copy) -> Option<usize> {
    let waits = find(lines, decides(limited))?;
    let at = next(lines, waits, |what| matches!(what, What::Recorded(_)))?;
    records(told)(&lines[at].what).then_some(())?;
    next(lines, at, |what| matches!(what, What::Decided(_)))
}

#[test]
fn a_start_after_a_stop_in_a_wait_is_noticed() {
    breaks(HELD, |lines| {
        let at = told_in_wait(lines, |event| matches!(event, Event::StopRequested { .. }))?;
        insert(lines, at, stranger())
    });
}

#[test]
fn a_start_after_a_pause_in_a_wait_is_noticed() {
    breaks(HELD, |lines| {
        let at = told_in_wait(lines, |event| *event == Event::PauseRequested)?;
        insert(lines, at, stranger())
    });
}

fn halts(fits: impl Fn(Halt) -> bool) -> impl Fn(&What) -> bool {
    decides(move |state| matches!(state, State::Halted(halted) if fits(halted.why)))
}

#[test]
fn a_start_without_money_is_noticed() {
    breaks(HELD, |lines| {
        let at = find(lines, halts(|why| why == Halt::Paused(Pause::Budget)))?;
        insert(lines, at, stranger())
    });
}

#[test]
fn a_start_after_a_limit_for_which_nobody_waits_is_noticed() {
    breaks(HELD, |lines| {
        let at = find(lines, halts(|why| matches!(why, Halt::Limited { .. })))?;
        insert(lines, at, stranger())
    });
}

fn settles(what: &What) -> bool {
    matches!(what, What::Own(News::Settled(_, usage)) if *usage != Usage::default())
}

#[test]
fn usage_that_is_recorded_late_or_never_is_noticed() {
    let rule = "what an agent used is recorded before the next one starts";
    breaks(rule, |lines| {
        let at = find(lines, settles)?;
        next(lines, at, starts)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn usage_that_is_recorded_twice_is_noticed() {
    breaks("what an agent used is recorded once, as it was", |lines| {
        let at = find(lines, settles)?;
        let twice = lines[at].what.clone();
        insert(lines, at, twice)
    });
}

#[test]
fn usage_that_is_not_counted_is_noticed() {
    breaks("what agents used is counted once", |lines| {
        let at = find(lines, |what| matches!(what, What::Ended(_, Some(_))))?;
        let What::Ended(_, Some(ended)) = &mut lines[at].what else {
            return None;
        };
        ended.usage.output_tokens += 1;
        let used = ended.usage;
        // It is recorded as it was, and the run does not count it.
        let at = next(lines, at, |what| {
            matches!(what, What::Own(News::Settled(..)))
        })?;
        if let What::Own(News::Settled(_, usage)) = &mut lines[at].what {
            *usage = used;
        }
        Some(())
    });
}

/// The checker's verdict on a service that was too busy this many times, each time followed by a
/// wait, or in the end by a failure.
fn busy(times: u64, fails: bool) -> Result<(), Broken> {
    let mut limits = Waits::default();
    let line = |what| TraceLine {
        at_ms: 1,
        clock_ms: 1,
        machine: 0,
        what,
    };
    let terms = Terms {
        machines: 1,
        slots: 1,
        rules: Rules::default(),
    };
    limits.see(&line(What::Began(terms)), &Replica::new(Run::default()))?;
    for seq in 1..=times {
        let ended = Ended {
            outcome: Outcome::Limited(Limit {
                kind: LimitKind::Overload,
                until_ms: None,
                words: String::new(),
            }),
            session: None,
            usage: Usage::default(),
            last_words: String::new(),
        };
        let look = kumite_core::facts::Look::Unreadable(String::new());
        let agent = STRANGER;
        limits.see(
            &line(What::Ended(agent, Some(ended.clone()))),
            &Replica::new(Run::default()),
        )?;
        let entry = Entry {
            version: VERSION,
            seq,
            at_ms: 1,
            event: Event::AgentEnded { agent, ended, look },
        };
        let state = match fails && seq == times {
            false => State::Limited(Wait {
                until_ms: 60_001,
                wake_ms: 60_001,
                since_ms: 0,
                words: String::new(),
                resume: Resume::default(),
            }),
            true => State::Halted(Halted {
                why: Halt::Failed(Failure::AgentFailed),
                detail: String::new(),
                last_words: String::new(),
                resume: Resume::default(),
            }),
        };
        let mut replica = Replica::new(Run {
            state,
            ..Run::default()
        });
        replica.effects = vec![Effect::Announce(Notice::RunQueued(None))];
        limits.see(&line(What::Recorded(Rc::new(entry))), &replica)?;
        if fails && seq == times {
            let said = kumite_core::run::run_ended(&replica.machine);
            let key = kumite_core::engine::EffectKey { seq, index: 0 };
            limits.see(&line(What::Own(News::Announced(key, said))), &replica)?;
        }
    }
    Ok(())
}

#[test]
fn a_service_that_is_waited_for_for_ever_is_noticed() {
    assert_eq!(busy(24, false), Ok(()));
    let rule = |busy: Result<(), Broken>| busy.map_err(|broken| broken.rule);
    assert_eq!(
        rule(busy(25, false)),
        Err("a busy service is not waited for for ever")
    );
    assert_eq!(busy(25, true), Ok(()));
    assert_eq!(rule(busy(24, true)), Err("a limit is no failure"));
}
