//! An implementation without a change, tasks that are gone and protected files that are others
//! never pass by themselves: a person has gone on, or has approved it.

use kumite_core::change::Change;
use kumite_core::facts::{Look, TaskFacts};
use kumite_core::journal::{Entry, Event};
use kumite_core::place::Prepared;
use kumite_core::run::{Halt, Pause, State, Step};

use super::ground::{PlaceTruth, is_ready};
use super::proven::launched;
use crate::check::{Verdict, broken};
use crate::specs::deed::Deed;
use crate::specs::disk::{drop_task, tick};
use crate::specs::news::News;
use crate::specs::place::TaskList;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

const PHANTOM: &str = "ticked boxes without a change pass only if a person says so";
const VANISHED: &str = "a task that is gone passes only if a person goes on";
const PROTECTED: &str = "protected files that are others pass only if a person goes on";

#[derive(Default)]
pub struct Honest {
    specs: Vec<Honesty>,
}

/// The state of one spec.
#[derive(Default)]
struct Honesty {
    truth: PlaceTruth,
    /// How many deeds there were: it names the texts of the tasks.
    deeds: u64,
    tasks: TaskFacts,
    list: TaskList,
    /// The tasks when impl began.
    known: Option<TaskList>,
    /// Once it works in its own place: the code with which that began.
    begin: Option<u64>,
    /// Its place was there before: nobody knows what was done in it.
    taken_over: bool,
    /// The protected files that a person has accepted.
    accepted: u64,
    /// A person went on: what the next look shows is accepted.
    accepts: bool,
    /// A person says that no change is needed.
    needs_none: bool,
    owed: Vec<Change>,
    /// What the run asked a person about.
    asked: Option<(Pause, Option<Step>)>,
}

impl Honest {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms { machines, .. }) = &line.what {
            self.specs.resize_with(*machines, Honesty::default);
        }
        let honesty = &mut self.specs[line.machine];
        match &line.what {
            What::Own(News::Done(_, deed)) => honesty.learn(deed),
            What::Recorded(entry) => return honesty.recorded(entry, replica),
            _ => {}
        }
        Ok(())
    }
}

impl Honesty {
    fn learn(&mut self, deed: &Deed) {
        self.deeds += 1;
        self.truth.learn(deed);
        match deed {
            Deed::Boxes(tasks) => {
                self.tasks = *tasks;
                self.list = TaskList::new(self.deeds, *tasks);
            }
            Deed::Tick(boxes) => tick(&mut self.tasks, *boxes),
            Deed::DropTask if drop_task(&mut self.tasks) => self.list.drop_last(),
            Deed::PutBack(kept) => (self.tasks, self.list) = (kept.tasks, kept.list),
            _ => {}
        }
    }

    fn recorded(&mut self, entry: &Entry, replica: &Replica) -> Verdict {
        let look = match &entry.event {
            Event::StartRequested { look, .. } => {
                self.goes_on();
                look.as_ref()
            }
            Event::Admitted { look }
            | Event::WaitOver { look }
            | Event::AgentEnded { look, .. } => Some(look),
            Event::ImplApproved => {
                self.needs_none |= replica.machine.is_at_rest();
                None
            }
            _ => None,
        };
        self.looked(look);
        if is_ready(&entry.event) {
            self.begin = Some(self.truth.code);
            self.taken_over = is_taken_over(&entry.event);
            self.accepted = self.truth.protected;
        }
        let verdict = self.judge(replica);
        if let Event::SaveFailed { changes, .. } = &entry.event {
            self.owed.clone_from(changes);
        }
        if replica.saves().any(|it| *it == Change::Deployed) {
            (self.begin, self.known) = (None, None);
        }
        match launched(replica) {
            Some((_, Step::Implement(_))) if self.known.is_none() => {
                let facts = look.and_then(Look::facts);
                let is_told = facts.is_some_and(|facts| !facts.task_list.is_empty());
                self.known = is_told.then_some(self.list);
            }
            Some((_, Step::Write(_) | Step::Review(_) | Step::Reply(_))) => self.known = None,
            _ => {}
        }
        if launched(replica).is_some_and(|(_, step)| !step.is_errand()) {
            self.accepts = false;
        }
        self.asked = match &replica.machine.state {
            State::Halted(halted) => match halted.why {
                Halt::Paused(why) => Some((why, halted.resume.step)),
                _ => None,
            },
            _ => None,
        };
        verdict
    }

    fn goes_on(&mut self) {
        match self.asked {
            Some((Pause::ProtectedChanged, _)) => self.accepts = true,
            Some((Pause::EvidenceConflict, Some(Step::Implement(_) | Step::Fix(_)))) => {
                self.known = None;
            }
            _ => {}
        }
    }

    fn looked(&mut self, look: Option<&Look>) {
        let Some(facts) = look.and_then(Look::facts) else {
            return;
        };
        if facts.place.content().is_some() && std::mem::take(&mut self.accepts) {
            self.accepted = self.truth.protected;
        }
    }

    fn judge(&mut self, replica: &Replica) -> Verdict {
        let mut passes = None;
        let mut saves = false;
        for change in replica.saves() {
            saves = true;
            if let Some(at) = self.owed.iter().position(|owed| owed == change) {
                self.owed.remove(at);
            } else if let Change::Implemented | Change::Fixed(_) = change {
                passes = Some(*change);
            }
        }
        if saves {
            self.owed.clear();
        }
        let Some(passes) = passes else {
            return Ok(());
        };
        let known = self.known.map(TaskList::texts).unwrap_or_default();
        let gone = self.list.vanished(&known);
        if !gone.is_empty() {
            return broken(VANISHED, format!("{passes:?} is written without {gone:?}"));
        }
        let Some(begin) = self.begin else {
            return Ok(());
        };
        if self.truth.protected != self.accepted {
            let (now, accepted) = (self.truth.protected, self.accepted);
            let sentence = format!("{passes:?} is written with {now}; accepted: {accepted}");
            return broken(PROTECTED, sentence);
        }
        let is_phantom = passes == Change::Implemented && begin == self.truth.code;
        match is_phantom && !self.needs_none && !self.taken_over {
            false => Ok(()),
            true => broken(PHANTOM, "impl is complete, and nothing has changed"),
        }
    }
}

fn is_taken_over(event: &Event) -> bool {
    let Event::AgentEnded { look, .. } = event else {
        return false;
    };
    let prepared = look.facts().and_then(|facts| facts.prepared.as_ref());
    matches!(prepared, Some(Prepared::Ready(place)) if !place.made)
}
