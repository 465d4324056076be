//! Finds the rule for every event. An event that does not fit changes nothing.

use super::after::after;
use super::asked::{admitted, start_requested, wait_over};
use super::memory::{Deploy, Remark};
use super::state::{Halt, Halted, Pause, Resume, Run, State, Wait, Work};
use super::step::{Attempt, Gate, Step, Verify};
use super::turn::{Turn, go};
use super::{baseline, errand, guard, undo, words};
use crate::change::Change;
use crate::effect::{Effect, Settled};
use crate::facts::Look;
use crate::journal::{AgentId, By, Entry, Event};
use crate::names::Document;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};

/// Decides what `entry` means for `run`.
pub fn decide(run: Run, entry: &Entry) -> (Run, Vec<Effect>) {
    match &entry.event {
        Event::StartRequested { order, look, place } => {
            start_requested(run, order, look.as_ref(), *place, entry)
        }
        Event::Admitted { look } => admitted(run, look, entry),
        Event::WaitOver { look } => wait_over(run, look, entry),
        Event::AgentEnded { agent, ended, look } => agent_ended(run, *agent, ended, look, entry),
        Event::CheckoutBusy { agent, with } => checkout_busy(run, *agent, with),
        Event::StopRequested { by } => stop(run, *by),
        Event::PauseRequested => pause(run),
        Event::ResetRequested => reset(run),
        Event::DocumentApproved { document } => approved(run, *document),
        Event::DocumentRejected { document, remark } => rejected(run, *document, remark),
        Event::DeployApproved => (deploy_approved(run), Vec::new()),
        Event::ImplApproved => impl_approved(run),
        Event::UndoRequested { to, content } => undo::requested(run, *to, content, entry),
        Event::SaveFailed { seq, changes, why } => save_failed(run, *seq, changes, why),
        Event::EngineStarted => (taken_over(run), Vec::new()),
    }
}

/// The run stays unchanged.
pub(super) fn stay(run: Run) -> (Run, Vec<Effect>) {
    (run, Vec::new())
}

/// The run rests where it is, and announces it.
pub(super) fn rest(run: Run) -> (Run, Vec<Effect>) {
    let ended = Effect::Announce(words::run_ended(&run));
    (run, vec![ended])
}

fn agent_ended(
    mut run: Run,
    agent: AgentId,
    ended: &Ended,
    look: &Look,
    entry: &Entry,
) -> (Run, Vec<Effect>) {
    let (work, held) = match &run.state {
        State::Working(work) => (work.clone(), None),
        State::Finishing(work) => (work.clone(), Some(Halt::Paused(Pause::ByUser))),
        State::Stopping { work, by } => (work.clone(), Some(Halt::Stopped(*by))),
        State::Idle
        | State::Queued { .. }
        | State::Limited(_)
        | State::Halted(_)
        | State::Done(_) => return stay(run),
    };
    // A late message from an agent that nobody waits for any more.
    if work.agent != agent {
        return stay(run);
    }
    run.spent += ended.usage;
    let step = work.step;
    let parked = work.parked(ended, *look != Look::Nobody);
    let mut look = look.clone();
    match &mut look {
        Look::Seen(facts) => run.memory.looked(&run.order, facts, true),
        Look::Unreadable(_) => run.memory.saw_nothing(),
        Look::Nobody => {}
    }
    let step_ended = step_ended(&work, ended, held);
    // They say nothing about spec.json, so what it must be told waits for the next decision.
    match step {
        Step::Baseline => {
            let after = baseline::ended(run, &work, ended, &look, held, entry);
            return preceded(step_ended, after);
        }
        Step::Undo(_) => return preceded(step_ended, undo::ended(run, ended, &look, entry)),
        _ => {}
    }
    let first = match &mut look {
        Look::Seen(facts) => {
            let doubted = is_doubted(step, &ended.outcome).then_some(step);
            run.debt.pay(doubted, facts)
        }
        Look::Unreadable(_) => {
            run.debt.unsure = is_doubted(step, &ended.outcome).then_some(step);
            Vec::new()
        }
        Look::Nobody => Vec::new(),
    };
    let settle = (!step.is_errand()).then(|| settle(&run, &work, ended));
    let asks_again = guard::asks_again(&mut run.memory, step, ended, &look);
    let overloads = parked.as_ref().map_or(0, |parked| parked.overloads);
    // An agent that ends during a stop was stopped, unless it had already finished.
    let stopped =
        held.filter(|why| matches!(why, Halt::Stopped(_)) && ended.outcome != Outcome::Finished);
    let turn = match stopped {
        Some(why) => Turn::halt(step, why, ""),
        None => {
            let order = run.order.clone();
            let trust = &mut run.memory.trust;
            errand::after(trust, &order, &work, ended, &mut look, entry)
                .or(asks_again.filter(|_| held.is_none()))
                .unwrap_or_else(|| after(&order, work, overloads, ended, &mut look, entry))
        }
    };
    let turn = match held {
        Some(why) => turn.held(why),
        None => turn,
    };
    let turn = turn.with_last_words(&ended.last_words).parking(parked);
    let turn = match step {
        // Its end is announced with its result.
        Step::Verify(_) => turn.preceded(first, Vec::new()),
        _ => turn.preceded(first, vec![step_ended]),
    };
    let (run, mut effects) = go(run, turn, look.facts(), Some(step.phase()), entry);
    // First: a write that fails ends the list, and the next launch asks what is left of a budget.
    effects.splice(0..0, settle);
    (run, effects)
}

/// The notice comes first.
fn preceded(notice: Notice, (run, mut effects): (Run, Vec<Effect>)) -> (Run, Vec<Effect>) {
    effects.insert(0, Effect::Announce(notice));
    (run, effects)
}

/// The run waits for its turn, and gives its slot to another one.
fn checkout_busy(mut run: Run, agent: AgentId, with: &str) -> (Run, Vec<Effect>) {
    match run.state {
        State::Working(work) if work.agent == agent => {
            let resume = Resume {
                parked: work.takes_over.map(|parked| *parked),
                ..Resume::at(work.step)
            };
            run.state = State::Queued { resume };
            let with = with.to_owned();
            (run, vec![Effect::Announce(Notice::CheckoutBusy { with })])
        }
        State::Idle
        | State::Queued { .. }
        | State::Working(_)
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Limited(_)
        | State::Halted(_)
        | State::Done(_) => stay(run),
    }
}

fn settle(run: &Run, work: &Work, ended: &Ended) -> Effect {
    Effect::Settle(Settled {
        agent: work.agent,
        run: run.number,
        step: work.step,
        outcome: ended.outcome.clone(),
        usage: ended.usage,
    })
}

/// Only its counts approve a review (A10), and only a successful writer has written: what such
/// agents put into spec.json themselves is not evidence.
fn is_doubted(step: Step, outcome: &Outcome) -> bool {
    match step {
        Step::Review(_) | Step::Reply(_) => true,
        Step::Write(_) => *outcome != Outcome::Finished,
        Step::Implement(_)
        | Step::Inspect(_)
        | Step::Fix(_)
        | Step::Merge
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => false,
    }
}

fn step_ended(work: &Work, ended: &Ended, held: Option<Halt>) -> Notice {
    let outcome = match (&ended.outcome, held) {
        // How the agent ended is unknown, but a stop had asked for its end.
        (Outcome::Lost(_), Some(Halt::Stopped(_))) => Outcome::Killed,
        (outcome, _) => outcome.clone(),
    };
    Notice::StepEnded {
        step: work.step,
        agent: work.agent,
        outcome,
        usage: ended.usage,
    }
}

/// Ends the agent, starts nothing afterwards, keeps what is finished.
fn stop(mut run: Run, by: By) -> (Run, Vec<Effect>) {
    match run.state {
        State::Working(work) | State::Finishing(work) => {
            let end = Effect::End(work.agent);
            run.state = State::Stopping { work, by };
            (run, vec![end])
        }
        State::Queued { resume } | State::Limited(Wait { resume, .. }) => {
            run.state = State::Halted(Halted::new(Halt::Stopped(by), "", resume));
            rest(run)
        }
        State::Idle | State::Stopping { .. } | State::Halted(_) | State::Done(_) => stay(run),
    }
}

fn pause(mut run: Run) -> (Run, Vec<Effect>) {
    match run.state {
        State::Working(work) => {
            run.state = State::Finishing(work);
            stay(run)
        }
        State::Queued { resume } | State::Limited(Wait { resume, .. }) => {
            run.state = State::Halted(Halted::new(Halt::Paused(Pause::ByUser), "", resume));
            rest(run)
        }
        State::Idle
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Halted(_)
        | State::Done(_) => stay(run),
    }
}

/// Clears counters and failures; the files stay unchanged.
fn reset(mut run: Run) -> (Run, Vec<Effect>) {
    match run.state {
        State::Halted(_) | State::Done(_) | State::Idle => {
            run.state = State::Idle;
            run.under_way = false;
            run.memory.question = None;
            run.memory.parked = None;
            run.memory.trust.attempt = None;
            run.memory.trust.because = None;
            run.memory.trust.measured = None;
            rest(run)
        }
        State::Queued { .. }
        | State::Working(_)
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Limited(_) => stay(run),
    }
}

fn approved(mut run: Run, document: Document) -> (Run, Vec<Effect>) {
    if let State::Halted(halted) = &mut run.state
        && halted.resume.step == Some(Step::Write(document))
    {
        run.memory.parked = halted.resume.parked.take();
        run.state = State::Idle;
    }
    let effects = vec![
        Effect::Save(run.debt.pay_with(Change::Approved(document))),
        Effect::Announce(Notice::DocumentApproved {
            document,
            by_person: true,
        }),
    ];
    (run, effects)
}

fn rejected(mut run: Run, document: Document, remark: &Option<String>) -> (Run, Vec<Effect>) {
    if !run.is_at_rest() {
        return stay(run);
    }
    if !run.is_exhausted() {
        run.state = State::Idle;
    }
    run.memory.parked = None;
    let remark = remark.clone();
    run.memory.remark = remark.map(|words| Remark { document, words });
    let effects = vec![
        Effect::Save(run.debt.pay_with(Change::Rejected(document))),
        Effect::Announce(Notice::DocumentRejected(document)),
    ];
    (run, effects)
}

/// The permission now comes from a person, and the run goes on when it is started.
fn deploy_approved(mut run: Run) -> Run {
    if let State::Halted(halted) = &mut run.state
        && halted.why == Halt::DeployDoubted
    {
        halted.why = Halt::Paused(Pause::ByUser);
        run.memory.deploy = Deploy::ByPerson;
    }
    run
}

/// A person has looked: the tasks need no change of the code.
fn impl_approved(mut run: Run) -> (Run, Vec<Effect>) {
    if !run.is_at_rest() {
        return stay(run);
    }
    run.memory.trust.no_change_needed = true;
    let said = Notice::Warned("a person says that the tasks need no change of the code".to_owned());
    (run, vec![Effect::Announce(said)])
}

/// A8: nothing goes on without spec.json; the unwritten changes are kept.
fn save_failed(mut run: Run, seq: u64, changes: &[Change], why: &str) -> (Run, Vec<Effect>) {
    run.debt.unsaved = changes.to_vec();
    let exhausted = run.is_exhausted();
    let resume = match &run.state {
        // The agent of this very decision was not started; any other agent works on.
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. }
            if work.agent.seq == seq =>
        {
            Resume {
                parked: work.takes_over.as_deref().cloned(),
                ..Resume::at(work.step)
            }
        }
        State::Halted(halted) if !exhausted => halted.resume.clone(),
        State::Idle | State::Done(_) => {
            // It is not finished before spec.json says so.
            run.under_way |= matches!(run.state, State::Done(_));
            Resume {
                parked: run.memory.parked.take(),
                ..Resume::default()
            }
        }
        State::Queued { .. }
        | State::Working(_)
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Limited(_)
        | State::Halted(_) => {
            // What should have been announced after the failed write is announced now.
            let waits = match &run.state {
                State::Limited(wait) => Some(Effect::Announce(wait.notice())),
                _ => None,
            };
            let failed = Effect::Announce(Notice::SaveFailed(why.into()));
            return (run, [failed].into_iter().chain(waits).collect());
        }
    };
    run.state = State::Halted(Halted::new(
        Halt::Paused(Pause::SpecUnwritable),
        why,
        resume,
    ));
    let (run, mut effects) = rest(run);
    effects.insert(0, Effect::Announce(Notice::SaveFailed(why.into())));
    (run, effects)
}

/// B2.3: the retries of impl are counted per process. That they are used up is durable (B3.4).
fn taken_over(mut run: Run) -> Run {
    let max = run.order.rules.retries_max;
    let recount = |step: &mut Step| match step {
        Step::Implement(attempt)
        | Step::Prepare(attempt)
        | Step::Verify(Verify {
            gate: Gate::Impl(attempt),
            ..
        }) => *attempt = Attempt::first(max),
        _ => {}
    };
    let trust = &mut run.memory.trust;
    trust.attempt = None;
    let rested = trust.rested.as_deref_mut();
    for state in std::iter::once(&mut run.state).chain(rested) {
        match state {
            State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
                recount(&mut work.step);
            }
            State::Halted(Halted { resume, .. })
            | State::Queued { resume }
            | State::Limited(Wait { resume, .. }) => steps(resume).for_each(recount),
            State::Idle | State::Done(_) => {}
        }
    }
    let begins_at = trust.begins_at.iter_mut();
    begins_at.flat_map(steps).for_each(recount);
    run
}

/// The steps that a run goes on with.
fn steps(resume: &mut Resume) -> impl Iterator<Item = &mut Step> {
    let unjudged = resume.unjudged.iter_mut().map(|work| &mut work.step);
    resume.step.iter_mut().chain(unjudged)
}
