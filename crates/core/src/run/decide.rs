//! Finds the rule for every event. An event that does not fit changes nothing.

use super::after::after;
use super::asked::{admitted, start_requested, wait_over};
use super::state::{Deploy, Halt, Halted, Parked, Pause, Resume, Run, State, Wait, Work};
use super::step::{Attempt, Step};
use super::turn::{Turn, go};
use super::{guard, words};
use crate::change::Change;
use crate::effect::{Effect, Settled};
use crate::facts::{Facts, Look};
use crate::journal::{AgentId, By, Entry, Event};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Ended, LimitKind, Outcome};

/// Decides what `entry` means for `run`.
pub fn decide(run: Run, entry: &Entry) -> (Run, Vec<Effect>) {
    match &entry.event {
        Event::StartRequested { order, look, place } => {
            start_requested(run, order, look.as_ref(), *place, entry)
        }
        Event::Admitted { look } => admitted(run, look, entry),
        Event::WaitOver { look } => wait_over(run, look, entry),
        Event::AgentEnded { agent, ended, look } => agent_ended(run, *agent, ended, look, entry),
        Event::StopRequested { by } => stop(run, *by),
        Event::PauseRequested => pause(run),
        Event::ResetRequested => reset(run),
        Event::DocumentApproved { document } => approved(run, *document),
        Event::DocumentRejected { document, remark } => rejected(run, *document, remark),
        Event::DeployApproved => (deploy_approved(run), Vec::new()),
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
        State::Working(work) => (*work, None),
        State::Finishing(work) => (*work, Some(Halt::Paused(Pause::ByUser))),
        State::Stopping { work, by } => (*work, Some(Halt::Stopped(*by))),
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
    park(&mut run, work, ended, look);
    let mut look = look.clone();
    let first = match &mut look {
        Look::Seen(facts) => {
            run.deploy = run.deploy.seen(facts.permitted.allows(Phase::Deploy), true);
            let doubted = is_doubted(work.step, &ended.outcome).then_some(work.step);
            owed(&mut run, doubted, facts)
        }
        Look::Unreadable(_) => {
            run.deploy = run.deploy.unseen();
            run.unsure = is_doubted(work.step, &ended.outcome).then_some(work.step);
            Vec::new()
        }
        Look::Nobody => Vec::new(),
    };
    let asks_again = guard::asks_again(&mut run, work.step, ended, &look);
    let turn = match held {
        None => match asks_again {
            Some(turn) => turn,
            None => after(&run, work, ended, &mut look, entry),
        },
        // An agent that ends during a stop ended because of it, unless it was already done.
        Some(why @ Halt::Stopped(_)) if ended.outcome != Outcome::Finished => {
            Turn::halt(work.step, why, "")
        }
        Some(why) => after(&run, work, ended, &mut look, entry).held(why),
    };
    let turn = turn.with_last_words(&ended.last_words);
    let turn = turn.preceded(first, vec![step_ended(work, ended)]);
    let settle = settle(&run, work, ended);
    let (run, mut effects) = go(run, turn, look.facts(), Some(work.step.phase()), entry);
    // First: a write that fails ends the list, and the next launch asks what is left of a budget.
    effects.insert(0, settle);
    (run, effects)
}

fn settle(run: &Run, work: Work, ended: &Ended) -> Effect {
    Effect::Settle(Settled {
        agent: work.agent,
        run: run.number,
        step: work.step,
        outcome: ended.outcome.clone(),
        usage: ended.usage,
    })
}

/// An agent that had to leave its step without a fault of its own can be replaced later.
fn park(run: &mut Run, work: Work, ended: &Ended, look: &Look) {
    let limited = match &ended.outcome {
        Outcome::Limited(limit) => Some(limit.kind),
        _ => None,
    };
    run.overloads = match limited {
        Some(LimitKind::Overload) => run.overloads.saturating_add(1),
        Some(LimitKind::Usage | LimitKind::Held) | None => 0,
    };
    if limited.is_some() || matches!(ended.outcome, Outcome::OverBudget(_)) {
        run.parked = Some(Parked {
            step: work.step,
            session: ended.session.clone(),
            before: work.before,
            revived: work.revived,
            anew: work.anew,
        });
    } else if *look != Look::Nobody {
        // An agent that really began took its place.
        run.parked = None;
    }
}

/// What spec.json must say before anything is judged: earlier changes that could not be written,
/// and no claims that only the agent of the `doubted` step made.
pub(super) fn owed(run: &mut Run, doubted: Option<Step>, facts: &mut Facts) -> Vec<Change> {
    facts.deploy_doubted = run.deploy == Deploy::Doubted;
    let mut changes = std::mem::take(&mut run.unsaved);
    changes.iter().for_each(|change| facts.apply(*change));
    let taken_back = match doubted {
        Some(Step::Review(round) | Step::Reply(round)) if facts.review.approved => {
            Some(Change::ReviewStarted(round.number))
        }
        Some(Step::Write(document))
            if facts.document(document).generated || facts.review.approved =>
        {
            Some(Change::Rejected(document))
        }
        _ => None,
    };
    taken_back.iter().for_each(|change| facts.apply(*change));
    changes.extend(taken_back);
    changes
}

/// Only its counts approve a review (A10), and only a successful writer has written: what such
/// agents put into spec.json themselves is not evidence.
fn is_doubted(step: Step, outcome: &Outcome) -> bool {
    match step {
        Step::Review(_) | Step::Reply(_) => true,
        Step::Write(_) => *outcome != Outcome::Finished,
        Step::Implement(_) | Step::Inspect(_) | Step::Fix(_) | Step::Merge => false,
    }
}

fn step_ended(work: Work, ended: &Ended) -> Notice {
    Notice::StepEnded {
        step: work.step,
        agent: work.agent,
        outcome: ended.outcome.clone(),
        usage: ended.usage,
    }
}

/// Ends the agent, starts nothing afterwards, keeps what is finished.
fn stop(mut run: Run, by: By) -> (Run, Vec<Effect>) {
    match run.state {
        State::Working(work) | State::Finishing(work) => {
            run.state = State::Stopping { work, by };
            (run, vec![Effect::End(work.agent)])
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
            run.parked = None;
            run.overloads = 0;
            run.question = None;
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
    if let State::Halted(halted) = &run.state
        && halted.resume.step == Some(Step::Write(document))
    {
        run.state = State::Idle;
    }
    let effects = vec![
        save(&mut run, Change::Approved(document)),
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
    run.parked = None;
    run.remark.clone_from(remark);
    let effects = vec![
        save(&mut run, Change::Rejected(document)),
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
        run.deploy = Deploy::ByPerson;
    }
    run
}

/// One change, after all earlier changes that could not be written.
fn save(run: &mut Run, change: Change) -> Effect {
    let mut changes = std::mem::take(&mut run.unsaved);
    changes.push(change);
    Effect::Save(changes)
}

/// A8: nothing goes on without spec.json; the unwritten changes are kept.
fn save_failed(mut run: Run, seq: u64, changes: &[Change], why: &str) -> (Run, Vec<Effect>) {
    run.unsaved = changes.to_vec();
    let exhausted = run.is_exhausted();
    let resume = match run.state {
        // The agent of this very decision was not started; any other agent works on.
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. }
            if work.agent.seq == seq =>
        {
            Resume::at(work.step)
        }
        State::Halted(ref halted) if !exhausted => halted.resume,
        State::Idle => Resume::default(),
        State::Done(_) => {
            // It is not finished before spec.json says so.
            run.under_way = true;
            Resume::default()
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
    let recount = |step: &mut Step| {
        if let Step::Implement(attempt) = step {
            *attempt = Attempt::first(max);
        }
    };
    run.parked
        .iter_mut()
        .for_each(|parked| recount(&mut parked.step));
    match &mut run.state {
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
            recount(&mut work.step);
        }
        State::Halted(Halted { resume, .. })
        | State::Queued { resume }
        | State::Limited(Wait { resume, .. }) => {
            let unjudged = resume.unjudged.iter_mut().map(|work| &mut work.step);
            resume.step.iter_mut().chain(unjudged).for_each(recount);
        }
        State::Idle | State::Done(_) => {}
    }
    run
}
