//! An agent that had to leave its step finishes nothing and costs no attempt: its successor does
//! the same step with the same counts, in the same session.

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::journal::{AgentId, Entry, Event};
use kumite_core::outcome::{Ended, Outcome};
use kumite_core::run::{Attempt, State, Step};

use crate::check::{Verdict, broken};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

#[derive(Default)]
pub struct Follows {
    retries_max: u8,
    specs: Vec<SpecProgress>,
}

/// The state of one spec.
#[derive(Default)]
struct SpecProgress {
    /// The agent that was started last.
    worker: Option<Worker>,
    due: Option<Due>,
    rests: bool,
    /// The next start begins a new run.
    fresh: bool,
    /// The last entry is a start, so the next step is read from the files.
    asked: bool,
    /// The session of an agent that hung or was lost: it may be resumed at once, or never.
    again: Option<(Step, String)>,
    /// What kumite does itself comes between two agents: the next step is read from the files.
    errand: Option<AgentId>,
}

struct Worker {
    agent: AgentId,
    step: Step,
    ended: Option<Ended>,
    heard: bool,
}

/// What the next agent has to take over.
struct Due {
    step: Step,
    session: Option<String>,
    /// Something else was requested since, so this may be forgotten.
    passed: bool,
}

impl Follows {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms {
            machines, rules, ..
        }) = &line.what
        {
            self.retries_max = rules.retries_max;
            self.specs.resize_with(*machines, || SpecProgress {
                rests: true,
                fresh: true,
                ..SpecProgress::default()
            });
        }
        let progress = &mut self.specs[line.machine];
        match &line.what {
            What::Started(_, step, _) if step.is_errand() => {}
            What::Started(agent, step, session) => {
                progress.worker = Some(Worker {
                    agent: *agent,
                    step: *step,
                    ended: None,
                    heard: false,
                });
                return progress.follows(*step, session.as_deref());
            }
            What::HeldBack(_, step, session, _) => {
                let follows = progress.follows(*step, session.as_deref());
                progress.due = Some(Due {
                    step: *step,
                    session: session.clone(),
                    passed: false,
                });
                return follows;
            }
            What::Ended(agent, ended) => {
                if let Some(worker) = progress.worker.as_mut().filter(|it| it.agent == *agent) {
                    worker.ended.clone_from(ended);
                }
            }
            What::Recorded(entry) => {
                progress.recorded(entry, self.retries_max);
                progress.moves_on(replica);
                let left = progress.left(entry);
                progress.rests = replica.machine.is_at_rest();
                progress.fresh = matches!(replica.machine.state, State::Idle | State::Done(_));
                return match left {
                    true => finishes_nothing(replica),
                    false => Ok(()),
                };
            }
            _ => {}
        }
        Ok(())
    }
}

impl SpecProgress {
    fn recorded(&mut self, entry: &Entry, retries_max: u8) {
        self.asked = false;
        match &entry.event {
            Event::StartRequested { order, .. } => {
                self.asked = true;
                if self.rests && order.from.is_some() {
                    self.due = None;
                }
                if self.fresh {
                    let due = self.due.iter_mut();
                    due.for_each(|due| recount(&mut due.step, retries_max));
                }
            }
            Event::Admitted { .. } => self.asked = true,
            Event::AgentEnded { agent, .. } if self.errand == Some(*agent) => self.asked = true,
            Event::ResetRequested | Event::DocumentRejected { .. } if self.rests => {
                self.due = None;
            }
            // B2.3: a new process counts the retries of impl from the beginning.
            Event::EngineStarted => {
                let due = self.due.iter_mut().map(|due| &mut due.step);
                let worker = self.worker.iter_mut().map(|worker| &mut worker.step);
                due.chain(worker)
                    .for_each(|step| recount(step, retries_max));
            }
            _ => {}
        }
    }

    /// Once something else is requested, the pending step may be forgotten.
    fn moves_on(&mut self, replica: &Replica) {
        let mut launched = replica.effects.iter().filter_map(|effect| match effect {
            Effect::Launch(launch) => Some((launch.agent, launch.step)),
            _ => None,
        });
        let Some((agent, step)) = launched.next() else {
            return;
        };
        if step.is_errand() {
            self.errand = Some(agent);
        }
        if let Step::Verify(_) = step {
            // What was left counts as it is, and its code is checked.
            self.due = None;
        }
        if let Some(due) = &mut self.due {
            due.passed |= self.asked && !same(due.step, step);
        }
    }

    /// An agent begins, or would have begun.
    fn follows(&mut self, step: Step, session: Option<&str>) -> Verdict {
        // The documents of a lost agent may be enough: then another step follows.
        let again = self.again.take().filter(|(left, _)| same(*left, step));
        let again = again.map(|(_, session)| session);
        match self.due.take() {
            Some(due) if !self.asked || same(due.step, step) => {
                due.taken_over(step, session, self.asked)
            }
            _ => goes_on(step, session, again.as_deref().filter(|_| !self.asked)),
        }
    }

    /// Whether this is the end of an agent that had to leave its step.
    fn left(&mut self, entry: &Entry) -> bool {
        let Event::AgentEnded { agent, ended, .. } = &entry.event else {
            return false;
        };
        let Some(worker) = self.worker.as_mut() else {
            return false;
        };
        if worker.agent != *agent || std::mem::replace(&mut worker.heard, true) {
            return false;
        }
        if let Outcome::Hung | Outcome::Lost(_) = ended.outcome {
            self.again = ended.session.clone().map(|session| (worker.step, session));
        }
        let Some(ended) = &worker.ended else {
            return false;
        };
        let session = match &ended.outcome {
            Outcome::Limited(_) | Outcome::OverBudget(_) => ended.session.clone(),
            Outcome::SessionGone(_) => None,
            Outcome::Finished
            | Outcome::Failed(_)
            | Outcome::Missing(_)
            | Outcome::Hung
            | Outcome::TimedOut
            | Outcome::Killed
            | Outcome::Lost(_) => return false,
        };
        let step = worker.step;
        self.due = Some(Due {
            step,
            session,
            passed: false,
        });
        true
    }
}

impl Due {
    /// `asked`: a person's start read the files, which may lead to another step.
    fn taken_over(&self, step: Step, session: Option<&str>, asked: bool) -> Verdict {
        let counts = match asked {
            true => self.step.attempt() == step.attempt(),
            false => self.step == step,
        };
        if !counts {
            let sentence = format!("{step:?} starts, and {:?} was left", self.step);
            return broken("who had to leave costs no round and no retry", sentence);
        }
        match self.passed && session.is_none() {
            true => Ok(()),
            false => goes_on(step, session, self.session.as_deref()),
        }
    }
}

fn goes_on(step: Step, session: Option<&str>, left: Option<&str>) -> Verdict {
    match session == left {
        true => Ok(()),
        false => broken(
            "who follows goes on in the session that was left to it",
            format!("{step:?} goes on in {session:?} instead of {left:?}"),
        ),
    }
}

/// Whether both are the same step of the same round.
pub fn same(one: Step, other: Step) -> bool {
    let number = |step: Step| step.round().map(|round| round.number);
    one.name() == other.name() && number(one) == number(other)
}

fn recount(step: &mut Step, retries_max: u8) {
    if let Step::Implement(attempt) = step {
        *attempt = Attempt::first(retries_max);
    }
}

fn finishes_nothing(replica: &Replica) -> Verdict {
    let finishes = |change: &&Change| match change {
        Change::Generated(_)
        | Change::ReviewWritten(_)
        | Change::Replied(..)
        | Change::Judged(..)
        | Change::ReviewApproved
        | Change::Implemented
        | Change::Inspected(..)
        | Change::Fixed(_)
        | Change::InspectionPassed
        | Change::Deployed => true,
        Change::Approved(_)
        | Change::Rejected(_)
        | Change::ReviewStarted(_)
        | Change::Reopened(_) => false,
    };
    match replica.saves().find(finishes) {
        None => Ok(()),
        Some(change) => broken(
            "who had to leave has finished nothing",
            format!("{change:?} is written on its word"),
        ),
    }
}
