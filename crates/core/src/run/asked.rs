//! A run is requested, gets its slot, or may go on after a usage limit.

use super::after::judge;
use super::decide::{rest, stay};
use super::state::{Halt, Halted, Pause, Resume, Run, State};
use super::step::{Round, Step};
use super::turn::{Turn, go};
use super::{baseline, errand, start, words};
use crate::change::Change;
use crate::effect::Effect;
use crate::facts::{Facts, Look};
use crate::journal::{Entry, Order};
use crate::notice::Notice;
use crate::pool::QueuePlace;

pub(super) fn start_requested(
    mut run: Run,
    order: &Order,
    look: Option<&Look>,
    place: Option<QueuePlace>,
    entry: &Entry,
) -> (Run, Vec<Effect>) {
    // B3.4: only a reset helps.
    if run.is_exhausted() {
        return rest(run);
    }
    let mut resume = match run.state {
        State::Idle | State::Done(_) => Resume {
            parked: run.memory.parked.take(),
            ..Resume::default()
        },
        State::Halted(ref halted) => {
            run.memory.trust.resumed(halted);
            renewed(halted, order)
        }
        // A request for an active run takes a pause back.
        State::Finishing(work) | State::Working(work) => {
            let verify = run.order.verify.clone();
            run.order = joined(run.order, order);
            if let Step::Verify(_) = work.step {
                // A command that is running is one of these, and so are the next ones.
                run.order.verify = verify;
            }
            run.state = State::Working(work);
            return stay(run);
        }
        State::Queued { .. } => {
            run.order = joined(run.order, order);
            return stay(run);
        }
        State::Stopping { .. } => return stay(run),
        State::Limited(_) => return joins_wait(run, order),
    };
    if order.from.is_some() {
        resume.parked = None;
    }
    if !std::mem::replace(&mut run.under_way, true) {
        run.number = run.number.saturating_add(1);
        run.spent_before += std::mem::take(&mut run.spent);
    }
    run.order = order.clone();
    run.state = State::Queued { resume };
    match look {
        Some(look) => admitted(run, look, entry),
        None => (run, vec![Effect::Announce(Notice::RunQueued(place))]),
    }
}

/// A person who goes on grants a new allowance, by the current settings (A2.3).
fn renewed(halted: &Halted, order: &Order) -> Resume {
    let fresh = |round: Round, max| Round::fresh(round.number, max);
    let step = match (halted.why, halted.resume.step) {
        (
            Halt::Paused(Pause::RoundsExhausted | Pause::NeedsDiscussion),
            Some(Step::Review(round)),
        ) => Some(Step::Review(fresh(round, order.rules.rounds_max))),
        (Halt::Paused(Pause::InspectionNogo), Some(Step::Inspect(round))) => {
            Some(Step::Inspect(fresh(round, order.rules.inspections_max)))
        }
        (_, step) => step,
    };
    Resume {
        step,
        ..halted.resume.clone()
    }
}

/// A run that is requested again while it goes on, or after its engine died: the further of two
/// ends counts. A review by hand stays one.
fn joined(now: Order, asked: &Order) -> Order {
    if asked.review_once.is_some() || now.review_once.is_some() {
        return now;
    }
    let untils = now.until.zip(asked.until);
    Order {
        rules: asked.rules,
        verify: asked.verify.clone(),
        until: untils.map(|(now, asked)| now.max(asked)),
        ..now
    }
}

pub(super) fn admitted(run: Run, look: &Look, entry: &Entry) -> (Run, Vec<Effect>) {
    let State::Queued { resume } = &run.state else {
        return stay(run);
    };
    if let Some(facts) = look.facts() {
        // What the run would do is asked of a copy, which knows all that the run knows.
        let (resume, mut facts, mut copy) = (resume.clone(), facts.clone(), run.clone());
        owed_now(&mut copy, &mut facts);
        let turn = begin(&run.order, &resume, run.memory.inspection_due, &mut facts);
        if baseline::is_due(&run, &run.order, &turn, &facts) {
            let phase = words::first_phase(&turn.next);
            return baseline::begin(run, resume, phase, entry);
        }
    }
    goes_on(run, look, true, entry)
}

/// The run has its slot, and its baseline if it needs one. `starts`: its start is not announced
/// yet.
pub(super) fn goes_on(
    mut run: Run,
    look: &Look,
    starts: bool,
    entry: &Entry,
) -> (Run, Vec<Effect>) {
    let State::Queued { resume } = &run.state else {
        return stay(run);
    };
    let resume = resume.clone();
    let order = run.order.clone();
    // Applies only once: going on after a halt does not begin there again.
    run.order.from = None;
    // Commands that were interrupted are all run again: somebody may have changed the code.
    run.memory.trust.checking = None;
    match look.seen() {
        Err(why) => unreadable(run, why, resume),
        Ok(facts) => {
            let mut facts = facts.clone();
            let owed = owed_now(&mut run, &mut facts);
            let due = run.memory.inspection_due;
            let turn = begin(&order, &resume, due, &mut facts).parking(resume.parked);
            let phase = words::first_phase(&turn.next);
            let started = starts.then_some(Notice::RunStarted { phase });
            let turn = turn.preceded(owed, started.into_iter().collect());
            go(run, turn, Some(&facts), None, entry)
        }
    }
}

fn unreadable(mut run: Run, why: &str, resume: Resume) -> (Run, Vec<Effect>) {
    let halted = Halted::new(Halt::Paused(Pause::SpecUnreadable), why, resume);
    run.state = State::Halted(halted);
    rest(run)
}

/// What is owed if no agent has worked since the last look.
fn owed_now(run: &mut Run, facts: &mut Facts) -> Vec<Change> {
    run.memory.looked(&run.order, facts, false);
    let unsure = run.debt.unsure.take();
    run.debt.pay(unsure, facts)
}

/// An agent that succeeded but could not be judged then is judged now; its step is repeated only if
/// there is still no evidence.
fn begin(order: &Order, resume: &Resume, inspection_due: bool, facts: &mut Facts) -> Turn {
    if let (Some(work), None, None) = (&resume.unjudged, order.from, order.review_once)
        && let Ok(turn) = judge(order, work, facts)
    {
        return turn;
    }
    if let (Some(Step::Verify(verify)), None, None) = (resume.step, order.from, order.review_once)
        && let Some(turn) = errand::resumed(order, verify, facts)
    {
        return turn;
    }
    start::first(order, resume.step, inspection_due, facts)
}

/// A person who asks for a run that waits for a limit waits too, unless they do not want to.
fn joins_wait(mut run: Run, order: &Order) -> (Run, Vec<Effect>) {
    run.order = joined(run.order, order);
    match &run.state {
        State::Limited(wait) if !order.rules.limit.wait => {
            let why = Halt::Limited {
                until_ms: wait.until_ms,
            };
            let resume = wait.resume.clone();
            run.state = State::Halted(Halted::new(why, wait.words.as_str(), resume));
            rest(run)
        }
        _ => stay(run),
    }
}

/// The step continues where it was left, whatever the files say meanwhile: its agent was not done.
pub(super) fn wait_over(mut run: Run, look: &Look, entry: &Entry) -> (Run, Vec<Effect>) {
    let State::Limited(wait) = &run.state else {
        return stay(run);
    };
    let resume = wait.resume.clone();
    match (look.seen(), resume.step) {
        (Ok(facts), Some(step)) => {
            let mut facts = facts.clone();
            let owed = owed_now(&mut run, &mut facts);
            let turn = Turn::begin(step).parking(resume.parked);
            let turn = turn.preceded(owed, Vec::new());
            go(run, turn, Some(&facts), Some(step.phase()), entry)
        }
        (Ok(_), None) => stay(run),
        (Err(why), _) => unreadable(run, why, resume),
    }
}
