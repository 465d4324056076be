//! The files of one spec: they survive every crash.

use std::collections::BTreeSet;

use kumite_core::change::Change;
use kumite_core::engine::EffectKey;
use kumite_core::facts::{
    DocumentFacts, Facts, Findings, History, InspectionFacts, Look, RoundFacts, RoundProgress,
    Stamp, TaskFacts, Verdict,
};
use kumite_core::journal::AgentId;
use kumite_core::names::{Document, Phase};
use kumite_core::run::{Run, Step};

use super::deed::{Deed, Inspection, Reply, SpecJsonClaim};
use super::place::{Ground, Kept, TaskList};

#[derive(Clone, Debug, Default)]
pub struct Disk {
    pub garbled: bool,
    /// The agents whose usage is recorded.
    pub settled: BTreeSet<AgentId>,
    /// The stamps of replies and inspections are only versions of the file here; see
    /// [`Disk::facts`].
    files: Facts,
    /// Grows with every write, like a modification time.
    version: u64,
    /// The last announced effect, so that nothing is announced twice.
    announced: Option<(u64, usize)>,
    /// The texts of the tasks.
    list: TaskList,
    pub ground: Ground,
}

impl Disk {
    /// A look at everything, for a decision of `run`.
    pub fn look(&mut self, run: &Run) -> Look {
        if self.garbled {
            return Look::Unreadable("spec.json: not JSON".to_owned());
        }
        let mut facts = self.facts();
        let trust = &run.memory.trust;
        match &trust.tasks {
            Some(known) => facts.vanished = self.list.vanished(known),
            None if facts.document(Document::Tasks).approved => {
                facts.task_list = self.list.texts();
            }
            None => {}
        }
        let now = self.content();
        facts.place = self.ground.look(now, trust.accepted.as_deref());
        match run.work().map(|work| (work.step, work.agent)) {
            Some((Step::Prepare(_), agent)) => facts.prepared = self.ground.prepared_by(agent),
            Some((Step::Baseline, agent)) => facts.measured = self.ground.measured_by(agent),
            Some(_) | None => {}
        }
        Look::Seen(Box::new(facts))
    }

    /// Everything that a checkpoint keeps.
    pub fn content(&self) -> Kept {
        Kept {
            code: self.ground.code,
            protected: self.ground.protected,
            docs: self.ground.docs,
            tasks: self.files.tasks,
            list: self.list,
        }
    }

    /// What the files say. The stamp of a reply covers its file and its counts in spec.json, that
    /// of an inspection its report and its record.
    pub fn facts(&self) -> Facts {
        let mut facts = self.files.clone();
        for round in &mut facts.review.rounds {
            let counts = round.counts.map(counts_word);
            round.reply = both(round.reply, counts);
        }
        for inspection in &mut facts.inspections {
            inspection.stamp = both(inspection.stamp, inspection.recorded.map(verdict_word));
        }
        facts
    }

    /// kumite writes to spec.json. Applying the same changes twice is the same as once.
    pub fn save(&mut self, changes: &[Change]) {
        for change in changes {
            self.files.apply(*change);
        }
    }

    /// True the first time.
    pub fn announce(&mut self, key: EffectKey) -> bool {
        let key = Some((key.seq, key.index));
        let first = key > self.announced;
        self.announced = self.announced.max(key);
        first
    }

    /// An agent or a person wrote something.
    pub fn suffer(&mut self, deed: Deed) {
        self.version += 1;
        let stamp = Some(Stamp::Fnv(self.version));
        self.ground.suffer(deed);
        match deed {
            Deed::Document(document) => self.document(document).stamp = stamp,
            Deed::Boxes(tasks) => {
                self.files.tasks = tasks;
                self.list = TaskList::new(self.version, tasks);
            }
            Deed::DropTask => {
                if drop_task(&mut self.files.tasks) {
                    self.list.drop_last();
                }
            }
            Deed::PutBack(kept) => (self.files.tasks, self.list) = (kept.tasks, kept.list),
            Deed::Code(_)
            | Deed::Protected(_)
            | Deed::Damage(_)
            | Deed::Mend
            | Deed::Worktree(_) => {}
            Deed::Tick(boxes) => tick(&mut self.files.tasks, boxes),
            Deed::Review(number) => self.round(number).review = stamp,
            Deed::Reply(reply) => self.reply(reply, stamp),
            Deed::Inspection(inspection) => self.inspection(inspection, stamp),
            Deed::Says(claim) => self.claim(claim),
            Deed::Garble => self.garbled = true,
            Deed::Repair => self.garbled = false,
            Deed::Permit(permitted) => self.files.permitted = permitted,
            Deed::Git => {
                self.files.history = History::Commits {
                    head: stamp,
                    merged: false,
                };
            }
            Deed::Commit => {
                if let History::Commits { head, .. } = &mut self.files.history {
                    *head = stamp;
                }
            }
            Deed::Earlier(phase) => self.earlier(phase),
        }
    }

    fn document(&mut self, document: Document) -> &mut DocumentFacts {
        &mut self.files.documents[document as usize]
    }

    fn round(&mut self, number: u32) -> &mut RoundFacts {
        let rounds = &mut self.files.review.rounds;
        let known = rounds.binary_search_by_key(&number, |round| round.number);
        let at = known.unwrap_or_else(|at| {
            let round = RoundFacts {
                number,
                ..RoundFacts::default()
            };
            rounds.insert(at, round);
            at
        });
        &mut rounds[at]
    }

    fn reply(&mut self, reply: Reply, stamp: Option<Stamp>) {
        let round = self.round(reply.number);
        if let Some(table) = reply.file {
            (round.reply, round.table) = (stamp, table);
        }
        round.counts = reply.counts.or(round.counts);
    }

    fn inspection(&mut self, inspection: Inspection, stamp: Option<Stamp>) {
        let number = inspection.number;
        let all = &mut self.files.inspections;
        let known = all.binary_search_by_key(&number, |known| known.number);
        let at = known.unwrap_or_else(|at| {
            let new = InspectionFacts {
                number,
                ..InspectionFacts::default()
            };
            all.insert(at, new);
            at
        });
        let known = &mut all[at];
        if let Some(report) = inspection.file {
            (known.stamp, known.report) = (stamp, report);
        }
        known.recorded = inspection.recorded.or(known.recorded);
    }

    fn claim(&mut self, claim: SpecJsonClaim) {
        match claim {
            SpecJsonClaim::Generated(document) => self.document(document).generated = true,
            SpecJsonClaim::ReviewComplete(number) => {
                let recorded = &mut self.round(number).recorded;
                if *recorded != Some(RoundProgress::ReplyComplete) {
                    *recorded = Some(RoundProgress::ReviewComplete);
                }
            }
            SpecJsonClaim::ReplyComplete(number) => {
                self.round(number).recorded = Some(RoundProgress::ReplyComplete);
            }
            SpecJsonClaim::ReviewApproved => self.files.review.approved = true,
        }
    }

    fn earlier(&mut self, phase: Phase) {
        let document = Document::ALL.into_iter().find(|d| d.phase() == phase);
        if let Some(document) = document {
            *self.document(document) = DocumentFacts {
                generated: true,
                approved: true,
                stamp: Some(Stamp::Fnv(self.version)),
            };
        }
        match phase {
            Phase::Review => self.files.apply(Change::ReviewApproved),
            Phase::Impl => self.files.apply(Change::Implemented),
            Phase::Requirements
            | Phase::Design
            | Phase::Tasks
            | Phase::Inspection
            | Phase::Deploy => {}
        }
    }
}

pub fn tick(tasks: &mut TaskFacts, boxes: u32) {
    if let TaskFacts::Counted { done, total } = tasks {
        *done = (*done + boxes).min(*total);
    }
}

/// Removes a task that is not done. False: all are done.
pub fn drop_task(tasks: &mut TaskFacts) -> bool {
    match tasks {
        TaskFacts::Counted { done, total } if *done < *total => {
            *total -= 1;
            true
        }
        TaskFacts::Counted { .. } | TaskFacts::Unreadable => false,
    }
}

fn both(file: Option<Stamp>, word: Option<u64>) -> Option<Stamp> {
    match (file, word) {
        (None, None) => None,
        (Some(Stamp::Fnv(file) | Stamp::Std(file)), word) => {
            Some(Stamp::Fnv(file << 16 | word.unwrap_or(0)))
        }
        (None, Some(word)) => Some(Stamp::Fnv(word)),
    }
}

fn counts_word(found: Findings) -> u64 {
    1 + u64::from(found.fix_required) * 16 + u64::from(found.needs_discussion)
}

fn verdict_word(verdict: Verdict) -> u64 {
    1 + verdict as u64
}
