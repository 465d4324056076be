//! Nothing is complete without evidence of exactly this code: all commands have passed on it, one
//! after the other.

use std::collections::{BTreeMap, BTreeSet};

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::facts::Look;
use kumite_core::journal::{AgentId, Entry, Event};
use kumite_core::outcome::Outcome;
use kumite_core::run::Step;

use super::follows::same;
use super::ground::{PlaceTruth, is_ready};
use crate::check::{Verdict, broken};
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

pub const RULE: &str = "nothing is complete on code that the commands have not passed";

#[derive(Default)]
pub struct Proven {
    specs: Vec<Proof>,
}

/// The state of one spec.
#[derive(Default)]
struct Proof {
    truth: PlaceTruth,
    /// It works in its own place; in the checkout, nobody sees who changes the code.
    in_place: bool,
    /// The running command, and the code when it began.
    running: Option<(AgentId, String, u64)>,
    /// The commands that passed one after the other on this code.
    sequence: (u64, BTreeSet<String>),
    passed: BTreeMap<u64, BTreeSet<String>>,
    /// Decided before, but it could not be written then.
    owed: Vec<Change>,
    last: Option<(AgentId, Step)>,
    /// The agent of this step left it unfinished: the next one goes on with it.
    left: Option<Step>,
}

impl Proven {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms { machines, .. }) = &line.what {
            self.specs.resize_with(*machines, Proof::default);
        }
        let proof = &mut self.specs[line.machine];
        match &line.what {
            What::Own(News::Done(_, deed)) => proof.truth.learn(deed),
            What::Started(agent, step, _) => proof.started(*agent, *step, replica),
            What::Ended(agent, ended) => {
                let passes = ended.as_ref().map(|it| &it.outcome) == Some(&Outcome::Finished);
                proof.ended(*agent, passes);
            }
            What::Recorded(entry) => return proof.recorded(entry, replica),
            _ => {}
        }
        Ok(())
    }
}

impl Proof {
    fn code(&self) -> u64 {
        match self.in_place {
            true => self.truth.code,
            false => 0,
        }
    }

    fn started(&mut self, agent: AgentId, step: Step, replica: &Replica) {
        let code = self.code();
        match step {
            Step::Verify(verify) => {
                let name = replica.machine.order.command(verify);
                self.running = Some((agent, name, code));
                return;
            }
            // In the checkout, only the run itself knows that the code is another one.
            Step::Implement(_) | Step::Fix(_) if !self.in_place => self.passed.clear(),
            _ => {}
        }
        self.sequence.1.clear();
    }

    fn ended(&mut self, agent: AgentId, passes: bool) {
        let code = self.code();
        let Some((_, name, began)) = self.running.take_if(|(it, ..)| *it == agent) else {
            return;
        };
        if self.sequence.0 != code {
            self.sequence = (code, BTreeSet::new());
        }
        match passes && began == code {
            true => self.sequence.1.insert(name),
            false => self.sequence.1.remove(&name),
        };
        let all = self.passed.entry(code).or_default();
        all.extend(self.sequence.1.iter().cloned());
    }

    fn recorded(&mut self, entry: &Entry, replica: &Replica) -> Verdict {
        self.hears(&entry.event);
        let needs = self.needs(replica);
        let is_merged = replica.saves().any(|it| *it == Change::Deployed);
        if is_merged && std::mem::take(&mut self.in_place) {
            // Its place is gone, and nobody has checked the checkout.
            self.passed.clear();
        }
        let launched = launched(replica);
        if let Some((_, step)) = launched.filter(|(_, step)| !step.is_errand()) {
            self.left.take_if(|left| !same(*left, step));
        }
        self.last = launched.or(self.last);
        let order = &replica.machine.order;
        let passed = self.passed.get(&self.code());
        let lacks = |name: &&String| !passed.is_some_and(|passed| passed.contains(*name));
        let lacking = match self.in_place && self.truth.damaged {
            true => order.verify.first(),
            false => order.verify.iter().find(lacks),
        };
        match (needs, lacking) {
            (Some(what), Some(name)) => broken(
                RULE,
                format!("{what}, and {name} has not passed on code {}", self.code()),
            ),
            _ => Ok(()),
        }
    }

    fn hears(&mut self, event: &Event) {
        self.in_place |= is_ready(event);
        match event {
            Event::AgentEnded { agent, ended, look } => {
                let last = self
                    .last
                    .filter(|(last, step)| last == agent && !step.is_errand());
                if let Some((_, step)) = last {
                    let unfinished = match ended.outcome {
                        Outcome::Limited(_)
                        | Outcome::OverBudget(_)
                        | Outcome::SessionGone(_)
                        | Outcome::Hung
                        | Outcome::Lost(_) => true,
                        _ => *look == Look::Nobody,
                    };
                    self.left = unfinished.then_some(step);
                }
            }
            Event::SaveFailed { changes, .. } => self.owed.clone_from(changes),
            _ => {}
        }
    }

    /// What the entry decides that needs evidence.
    fn needs(&mut self, replica: &Replica) -> Option<String> {
        let mut needs = None;
        let mut saves = false;
        for change in replica.saves() {
            saves = true;
            if let Some(at) = self.owed.iter().position(|owed| owed == change) {
                self.owed.remove(at);
            } else if let Change::Implemented | Change::InspectionPassed = change {
                needs = Some(format!("{change:?} is written"));
            }
        }
        if saves {
            self.owed.clear();
        }
        let begins = launched(replica).map(|(_, step)| step);
        let begins = begins.filter(|step| matches!(step, Step::Inspect(_) | Step::Merge));
        let goes_on = |step: &Step| self.left.is_some_and(|left| same(left, *step));
        let begins = begins.filter(|step| !goes_on(step));
        needs.or(begins.map(|step| format!("{step:?} begins")))
    }
}

/// The agent that the last entry starts.
pub fn launched(replica: &Replica) -> Option<(AgentId, Step)> {
    replica.effects.iter().find_map(|effect| match effect {
        Effect::Launch(launch) => Some((launch.agent, launch.step)),
        _ => None,
    })
}
