//! Places and evidence: code that nobody checked, lost places, and what passes silently (E8).

use std::rc::Rc;

use kumite_core::change::Fixing;
use kumite_core::effect::{Effect, Launch};
use kumite_core::facts::{Facts, Look, Permitted};
use kumite_core::journal::{Entry, Event, Order, RETRIES_MAX, Rules, VERSION};
use kumite_core::names::Document;
use kumite_core::notice::Notice;
use kumite_core::outcome::{Outcome, Usage};
use kumite_core::place::CheckOutcome;
use kumite_core::run::{Attempt, Because, Halt, Pause, Run, State, Step};

use super::{STRANGER, breaks, decides, find, insert, next, records, rules, starts};
use crate::specs::check::baseline::Measures;
use crate::specs::check::proven::RULE as PROVEN;
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::place::{Code, Damage, Worktree};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

fn verifies(what: &What) -> bool {
    matches!(what, What::Started(_, Step::Verify(_), _))
}

fn done(deed: Deed) -> What {
    What::Own(News::Done(None, deed))
}

fn code(number: u64) -> Deed {
    Deed::Code(Code {
        number,
        ..Code::default()
    })
}

/// The entry that writes this to spec.json for the first time, in a spec that has a worktree.
fn writes(lines: &[TraceLine], word: &str) -> Option<usize> {
    let is_it = |what: &What| match what {
        What::Own(News::Saved(_, changes)) => format!("{changes:?}").contains(word),
        _ => false,
    };
    let made = find(lines, makes_place)?;
    let saved = next(lines, made, is_it)?;
    let spec = lines[made].machine;
    let mut before = lines[..saved].iter();
    before.rposition(|line| line.machine == spec && matches!(line.what, What::Recorded(_)))
}

/// Whether this is such a deed.
fn is_deed(what: &What, fits: fn(&Deed) -> bool) -> bool {
    matches!(what, What::Own(News::Done(_, deed)) if fits(deed))
}

fn makes_place(what: &What) -> bool {
    is_deed(what, |deed| *deed == Deed::Worktree(Worktree::Made))
}

fn changes_code(what: &What) -> bool {
    is_deed(what, |deed| matches!(deed, Deed::Code(_)))
}

/// Puts a deed right before the entry that writes `word`, if commands were run before.
fn before_writing(lines: &mut Vec<TraceLine>, word: &str, deed: Deed) -> Option<()> {
    let at = writes(lines, word)?;
    let spec = lines[at].machine;
    let mut before = lines[..at].iter();
    before.find(|line| line.machine == spec && verifies(&line.what))?;
    let line = lines[at].clone();
    lines.insert(
        at,
        TraceLine {
            what: done(deed),
            ..line
        },
    );
    Some(())
}

#[test]
fn e8_1_code_that_changed_after_the_commands_is_noticed() {
    for word in ["Implemented", "InspectionPassed"] {
        breaks(PROVEN, |lines| before_writing(lines, word, code(4711)));
    }
}

#[test]
fn e8_1_a_damaged_place_as_evidence_is_noticed() {
    breaks(PROVEN, |lines| {
        before_writing(lines, "Implemented", Deed::Damage(Damage::Unreadable))
    });
}

#[test]
fn e8_1_a_command_that_failed_is_noticed() {
    breaks(PROVEN, |lines| {
        let passed = |what: &What| match what {
            What::Own(News::Announced(_, Notice::VerifyEnded { check, .. })) => {
                check.outcome == CheckOutcome::Passed
            }
            _ => false,
        };
        let began = find(lines, verifies)?;
        let said = next(lines, began, passed)?;
        let at = next(lines, began, |what| matches!(what, What::Ended(..)))?;
        let saved = writes(lines, "Implemented")?;
        let is_same = lines[saved].machine == lines[began].machine;
        let again = next(lines, said, verifies);
        let What::Ended(_, Some(ended)) = &mut lines[at].what else {
            return None;
        };
        ended.outcome = Outcome::Failed(String::new());
        // Nothing else may show that this command passed.
        let is_last = again.is_none_or(|again| again > saved);
        (is_same && at < saved && saved < said && is_last).then_some(())
    });
}

#[test]
fn e8_1_an_inspection_of_unchecked_code_is_noticed() {
    breaks(PROVEN, |lines| {
        let inspects = |what: &What| matches!(what, What::Started(_, Step::Inspect(_), _));
        let at = find(lines, inspects)?;
        let spec = lines[at].machine;
        let before = |fits: fn(&What) -> bool| {
            let mut before = lines[..at].iter();
            before.rposition(|line| line.machine == spec && fits(&line.what))
        };
        before(makes_place)?;
        before(verifies)?;
        let entry = before(|what| matches!(what, What::Recorded(_)))?;
        let line = lines[entry].clone();
        let what = done(code(4711));
        lines.insert(entry, TraceLine { what, ..line });
        Some(())
    });
}

#[test]
fn e8_2_a_command_beside_an_agent_is_noticed() {
    breaks("at most one agent works for a spec or a team", |lines| {
        let at = find(lines, |what| {
            matches!(what, What::Started(_, Step::Implement(_), _))
        })?;
        insert(lines, at, What::Started(STRANGER, Step::Undo(1), None))
    });
}

#[test]
fn e8_3_a_place_that_is_removed_is_noticed() {
    breaks("a place is never lost with work in it", |lines| {
        let made = find(lines, makes_place)?;
        insert(lines, made, done(Deed::Worktree(Worktree::None)))
    });
}

#[test]
fn e8_3_a_place_that_is_made_twice_is_noticed() {
    breaks("a place is never lost with work in it", |lines| {
        let impls = |what: &What| matches!(what, What::Started(_, Step::Implement(_), _));
        let prepared = |what: &What| matches!(what, What::Started(_, Step::Prepare(_), _));
        let at = find(lines, prepared)?;
        let at = next(lines, at, impls)?;
        let changed = next(lines, at, changes_code)?;
        let ended = next(lines, changed, |what| matches!(what, What::Ended(..)))?;
        let again = next(lines, ended, starts)?;
        let What::Started(_, step, _) = &mut lines[again].what else {
            return None;
        };
        let is_errand = matches!(step, Step::Verify(_));
        *step = Step::Prepare(Attempt::first(RETRIES_MAX));
        is_errand.then_some(())
    });
}

#[test]
fn e8_3_a_checkpoint_that_is_missing_is_noticed() {
    let rule = "what a step has left is kept before the next one begins";
    breaks(rule, |lines| {
        let made = find(lines, makes_place)?;
        let second = |what: &What| matches!(what, What::Started(_, Step::Verify(verify), _) if verify.command == 1);
        let began = next(lines, made, second)?;
        let spec = lines[made].machine;
        let mut before = lines[..began].iter();
        let entry = before
            .rposition(|line| line.machine == spec && matches!(line.what, What::Recorded(_)))?;
        let keeps = |line: &TraceLine| matches!(line.what, What::Performed(_, Effect::Keep { .. }));
        let is_kept = lines[entry..began].iter().any(keeps);
        // Something is written that the look does not show.
        let line = lines[entry].clone();
        let what = done(Deed::Review(99));
        lines.insert(entry, TraceLine { what, ..line });
        (!is_kept).then_some(())
    });
}

#[test]
fn e8_4_an_implementation_without_a_change_is_noticed() {
    breaks(
        "ticked boxes without a change pass only if a person says so",
        |lines| {
            let at = writes(lines, "Implemented")?;
            let approved = records(|event| *event == Event::ImplApproved);
            // Without commands, so that no other checker objects.
            let has_commands = find(lines, verifies).is_some();
            let spec = lines[at].machine;
            lines.retain(|line| line.machine != spec || !changes_code(&line.what));
            (!has_commands && find(lines, approved).is_none()).then_some(())
        },
    );
}

#[test]
fn e8_4_a_task_that_vanished_is_noticed() {
    breaks(
        "a task that is gone passes only if a person goes on",
        |lines| {
            let ticks = |what: &What| is_deed(what, |deed| matches!(deed, Deed::Tick(1000..)));
            let at = find(lines, ticks)?;
            let saved = next(lines, at, |what| match what {
                What::Own(News::Saved(_, changes)) => {
                    format!("{changes:?}").contains("Implemented")
                }
                _ => false,
            })?;
            let is_first = next(lines, at, ticks).is_none_or(|again| again > saved);
            let line = lines[at].clone();
            let what = done(Deed::DropTask);
            lines.insert(at, TraceLine { what, ..line });
            is_first.then_some(())
        },
    );
}

#[test]
fn e8_4_protected_files_that_pass_are_noticed() {
    let rule = "protected files that are others pass only if a person goes on";
    breaks(rule, |lines| {
        let at = writes(lines, "Implemented")?;
        let line = lines[at].clone();
        let what = done(Deed::Protected(4711));
        lines.insert(at, TraceLine { what, ..line });
        let ready = |what: &What| matches!(what, What::Started(_, Step::Prepare(_), _));
        find(&lines[..at], ready).map(|_| ())
    });
}

#[test]
fn e8_5_failing_commands_that_use_up_no_retries_are_noticed() {
    breaks("failing commands use up the retries", |lines| {
        let begins = |what: &What| matches!(what, What::Started(_, Step::Implement(attempt), _) if attempt.retry == 0);
        let second = |what: &What| match what {
            What::Own(News::Announced(_, Notice::ImplRetry { attempt, .. })) => *attempt == 2,
            _ => false,
        };
        let opens = |what: &What| match what {
            What::Own(News::Announced(_, Notice::ImplRetry { because, .. })) => {
                *because == Because::TasksOpen
            }
            _ => false,
        };
        let first = find(lines, begins)?;
        let second = next(lines, first, second)?;
        let spec = lines[first].machine;
        let mut between = lines[first..second].iter();
        // Nobody asked for anything meanwhile.
        let is_alone = between.all(|line| match &line.what {
            What::Recorded(entry) if line.machine == spec => {
                matches!(entry.event, Event::AgentEnded { .. })
            }
            _ => true,
        });
        // The older checker counts open boxes, and nothing else.
        let is_ours = find(lines, opens).is_none();
        rules(lines)?.retries_max = 1;
        (is_alone && is_ours).then_some(())
    });
}

#[test]
fn e8_6_an_agent_after_a_bad_baseline_is_noticed() {
    breaks("no agent is paid after a bad baseline", |lines| {
        let failed = |state: &State| matches!(state, State::Halted(halted) if halted.why == Halt::Paused(Pause::BaselineFailed));
        let at = find(lines, decides(failed))?;
        let step = Step::Write(Document::Design);
        insert(lines, at, What::Started(STRANGER, step, None))
    });
}

#[test]
fn e8_6_an_errand_that_is_paid_for_is_noticed() {
    breaks("nobody pays for what kumite does itself", |lines| {
        let at = find(lines, verifies)?;
        let What::Started(agent, ..) = lines[at].what else {
            return None;
        };
        insert(lines, at, What::Own(News::Settled(agent, Usage::default())))
    });
}

#[test]
fn e8_6_an_agent_before_the_baseline_is_noticed() {
    let mut measures = Measures::default();
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
    let order = Order {
        verify: vec!["tests".to_owned()],
        ..Order::default()
    };
    let mut replica = Replica::new(Run {
        order: order.clone(),
        ..Run::default()
    });
    let agent = STRANGER;
    replica.effects = vec![Effect::Launch(Launch {
        agent,
        run: 1,
        step: Step::Write(Document::Requirements),
        fixing: Fixing::Auto,
        resume: None,
        remark: None,
        because: None,
        spent: 0,
    })];
    let facts = Facts {
        permitted: Permitted::by_default(),
        ..Facts::default()
    };
    let entry = Entry {
        version: VERSION,
        seq: 1,
        at_ms: 1,
        event: Event::StartRequested {
            order,
            look: Some(Look::Seen(Box::new(facts))),
            place: None,
        },
    };
    assert_eq!(measures.see(&line(What::Began(terms)), &replica), Ok(()));
    let seen = measures.see(&line(What::Recorded(Rc::new(entry))), &replica);
    let rule = "no agent is paid before the baseline is known";
    assert_eq!(seen.map_err(|broken| broken.rule), Err(rule));
}
