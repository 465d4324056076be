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

use super::deed::{Deed, Inspection, Reply, SpecJsonClaim};

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
}

impl Disk {
    pub fn look(&self) -> Look {
        match self.garbled {
            true => Look::Unreadable("spec.json: not JSON".to_owned()),
            false => Look::Seen(Box::new(self.facts())),
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
        match deed {
            Deed::Document(document) => self.document(document).stamp = stamp,
            Deed::Boxes(tasks) => self.files.tasks = tasks,
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
