//! Nothing counts as done without evidence: the ground truth must confirm every end.

use std::collections::BTreeMap;

use kumite_core::change::Change;
use kumite_core::journal::{AgentId, Event, Guard};
use kumite_core::names::Phase;
use kumite_core::outcome::Outcome;
use kumite_core::run::{Finish, State, Step};

use crate::check::{Verdict, broken};
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::truth::{Moment, Truth};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

#[derive(Default)]
pub struct Evidence {
    guard: Guard,
    now: Moment,
    specs: Vec<Truth>,
    steps: BTreeMap<AgentId, Step>,
    /// Specs whose end was already judged.
    judged: Vec<bool>,
    permissions: Vec<Permission>,
}

/// The permission for deploy, and whether an agent works.
#[derive(Clone, Default)]
struct Permission {
    allowed: bool,
    /// Whether it was there when the agent began. kumite looks before and after an agent, so what
    /// comes and goes in between is not seen.
    before: bool,
    /// It appeared while an agent worked, and no person has confirmed it.
    doubted: bool,
    works: bool,
}

impl Permission {
    fn see(&mut self, what: &What) -> Verdict {
        match what {
            What::Own(News::Done(_, Deed::Permit(permitted))) => {
                let allowed = permitted.allows(Phase::Deploy);
                let appears = allowed && !self.before && self.works;
                self.doubted = allowed && (self.doubted || appears);
                self.allowed = allowed;
            }
            What::Recorded(entry) if entry.event == Event::DeployApproved => self.doubted = false,
            What::Started(_, Step::Merge, _) if self.doubted => {
                return broken(
                    "a permission that appears while an agent works is nobody's",
                    "a merge starts",
                );
            }
            What::Started(..) => (self.works, self.before) = (true, self.allowed),
            What::Ended(..) => self.works = false,
            _ => {}
        }
        Ok(())
    }
}

impl Evidence {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        self.now += 1;
        let now = self.now;
        if let What::Began(Terms {
            machines, rules, ..
        }) = &line.what
        {
            self.guard = rules.guard;
            self.specs.resize_with(*machines, Truth::default);
            self.judged.resize(*machines, false);
            self.permissions.resize(*machines, Permission::default());
        }
        self.permissions[line.machine].see(&line.what)?;
        let truth = &mut self.specs[line.machine];
        match &line.what {
            What::Own(News::Done(_, deed)) => truth.learn(*deed, now),
            What::Started(agent, step, _) => {
                self.steps.insert(*agent, *step);
                truth.agent_began(*step, now);
            }
            What::Ended(agent, Some(ended)) if ended.outcome == Outcome::Finished => {
                if let Some(step) = self.steps.get(agent) {
                    truth.agent_finished(*step, now);
                }
            }
            What::Recorded(entry) => {
                learn(truth, replica, &entry.event);
                let began = matches!(
                    entry.event,
                    Event::StartRequested { .. } | Event::Admitted { .. }
                );
                self.judged[line.machine] &= !began;
                return self.bears_out(line.machine, replica);
            }
            _ => {}
        }
        Ok(())
    }

    fn bears_out(&mut self, spec: usize, replica: &Replica) -> Verdict {
        let truth = &mut self.specs[spec];
        // The run rests as before, whatever an undo changes; the next start looks at the files.
        if let Some(Step::Undo(_)) = replica.machine.work().map(|work| work.step) {
            return Ok(());
        }
        let State::Done(finish) = replica.machine.state else {
            self.judged[spec] = false;
            return Ok(());
        };
        if std::mem::replace(&mut self.judged[spec], true) {
            return Ok(());
        }
        let lacking = match finish {
            // A review by hand: nobody asked about the documents.
            Finish::UntilReached(_) if replica.machine.order.review_once.is_some() => {
                truth.lacks(Phase::Review, self.guard)
            }
            Finish::AllPhasesDone => lacking(truth, Phase::ALL.into_iter(), self.guard),
            Finish::UntilReached(until) => {
                let phases = Phase::ALL.into_iter().filter(|phase| *phase <= until);
                lacking(truth, phases, self.guard)
            }
            Finish::NotPermitted(next) => {
                if truth.permitted.allows(next) {
                    let sentence = format!("{next:?} is permitted");
                    return broken("not permitted only if it is so", sentence);
                }
                let phases = Phase::ALL.into_iter().filter(|phase| *phase < next);
                lacking(truth, phases, self.guard)
            }
        };
        match lacking {
            None => Ok(()),
            Some(lacking) => broken(
                "nothing is done without evidence",
                format!("the run is done ({finish:?}), but {lacking}"),
            ),
        }
    }
}

/// What a person's decision means for the truth.
fn learn(truth: &mut Truth, replica: &Replica, event: &Event) {
    if let Event::DocumentApproved { document } = event {
        truth.approved(*document);
    }
    for change in replica.saves() {
        match change {
            Change::Rejected(document) if matches!(event, Event::DocumentRejected { .. }) => {
                truth.rejected(*document);
            }
            Change::ReviewStarted(_) => truth.review_reopened(),
            Change::Reopened(phase) => {
                truth.skipped(*phase);
                if *phase <= Phase::Review {
                    truth.review_reopened();
                }
            }
            _ => {}
        }
    }
}

fn lacking(
    truth: &Truth,
    mut phases: impl Iterator<Item = Phase>,
    guard: Guard,
) -> Option<&'static str> {
    phases.find_map(|phase| truth.lacks(phase, guard))
}
