//! What really happened to the work of a spec, whatever spec.json says. kumite's own writes do not
//! count here, only deeds of agents and people.

use std::collections::BTreeMap;

use kumite_core::facts::{Findings, Permitted, TaskFacts, Verdict};
use kumite_core::journal::Guard;
use kumite_core::names::{Document, Phase};
use kumite_core::run::Step;

use super::deed::{Deed, Inspection, Reply, SpecJsonClaim};
use super::disk::{drop_task, tick};

/// A moment is the number of a line in the trace.
pub type Moment = u64;

#[derive(Debug, Default)]
pub struct Truth {
    pub permitted: Permitted,
    /// When each document was written last.
    documents: [Option<Moment>; 3],
    /// A person wants it rewritten.
    rejected: [bool; 3],
    replies: BTreeMap<u32, Sources<Findings>>,
    /// An agent wrote into spec.json that the review is approved, and nobody took it back.
    claimed: bool,
    tasks: TaskFacts,
    implemented: Option<Moment>,
    /// When an agent last began to implement.
    touched: Moment,
    inspections: BTreeMap<u32, Sources<Verdict>>,
    merged: bool,
    /// Whether history shows merges: then only a commit does.
    has_git: bool,
    /// Phases finished before the story began.
    earlier: [bool; 7],
    /// Phases before this one were skipped at a person's request (`--from`).
    skipped_to: Option<Phase>,
}

/// The two places that record the same thing.
#[derive(Clone, Copy, Debug)]
struct Sources<T> {
    file: Option<T>,
    record: Option<T>,
    at: Moment,
}

impl<T: Copy + PartialEq> Sources<T> {
    fn clear(&self) -> Option<T> {
        match (self.file, self.record) {
            (Some(file), Some(record)) if file != record => None,
            (file, record) => file.or(record),
        }
    }
}

impl Truth {
    pub fn learn(&mut self, deed: Deed, now: Moment) {
        match deed {
            Deed::Document(document) => {
                self.documents[document as usize] = Some(now);
                self.rejected[document as usize] = false;
            }
            Deed::Boxes(tasks) => self.tasks = tasks,
            Deed::Tick(boxes) => tick(&mut self.tasks, boxes),
            Deed::Reply(reply) => self.replied(reply, now),
            Deed::Inspection(inspection) => self.inspected(inspection, now),
            Deed::Permit(permitted) => self.permitted = permitted,
            Deed::Git => self.has_git = true,
            Deed::Commit => self.merged |= self.has_git,
            Deed::Earlier(phase) => {
                self.earlier[phase as usize] = true;
                let document = Document::ALL.into_iter().find(|d| d.phase() == phase);
                if let Some(document) = document {
                    self.documents[document as usize] = Some(now);
                }
            }
            // Reviews prove nothing without replies, and claims prove nothing at all.
            Deed::Says(claim) => self.claimed |= claim == SpecJsonClaim::ReviewApproved,
            Deed::DropTask => {
                drop_task(&mut self.tasks);
            }
            Deed::PutBack(kept) => self.tasks = kept.tasks,
            Deed::Review(_) | Deed::Garble | Deed::Repair => {}
            // The evidence for code has its own checkers.
            Deed::Code(_)
            | Deed::Protected(_)
            | Deed::Damage(_)
            | Deed::Mend
            | Deed::Worktree(_) => {}
        }
    }

    fn replied(&mut self, reply: Reply, at: Moment) {
        let old = self.replies.get(&reply.number);
        let file = reply.file.unwrap_or_else(|| old.and_then(|old| old.file));
        let record = reply.counts.or_else(|| old.and_then(|old| old.record));
        let sources = Sources { file, record, at };
        self.replies.insert(reply.number, sources);
    }

    fn inspected(&mut self, inspection: Inspection, at: Moment) {
        let number = inspection.number;
        let old = self.inspections.get(&number);
        let file = inspection
            .file
            .unwrap_or_else(|| old.and_then(|old| old.file));
        let record = inspection
            .recorded
            .or_else(|| old.and_then(|old| old.record));
        let sources = Sources { file, record, at };
        self.inspections.insert(number, sources);
    }

    pub fn agent_began(&mut self, step: Step, now: Moment) {
        if let Step::Implement(_) = step {
            self.touched = now;
        }
    }

    pub fn agent_finished(&mut self, step: Step, now: Moment) {
        match step {
            Step::Implement(_) => self.implemented = Some(now),
            Step::Merge => self.merged |= !self.has_git,
            Step::Write(_)
            | Step::Review(_)
            | Step::Reply(_)
            | Step::Inspect(_)
            | Step::Fix(_)
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => {}
        }
    }

    pub fn rejected(&mut self, document: Document) {
        self.rejected[document as usize] = true;
    }

    /// A person read it and accepts it after all.
    pub fn approved(&mut self, document: Document) {
        self.rejected[document as usize] = false;
    }

    /// kumite wrote that the review is not approved, whatever an agent claimed.
    pub fn review_reopened(&mut self) {
        self.claimed = false;
    }

    pub fn skipped(&mut self, to: Phase) {
        self.skipped_to = Some(to);
    }

    /// What is missing for `phase` to count as finished.
    pub fn lacks(&self, phase: Phase, guard: Guard) -> Option<&'static str> {
        if self.skipped_to > Some(phase) {
            return None;
        }
        match phase {
            Phase::Requirements => self.lacks_document(Document::Requirements),
            Phase::Design => self.lacks_document(Document::Design),
            Phase::Tasks => self.lacks_document(Document::Tasks),
            Phase::Review => self.lacks_review(),
            Phase::Impl => self.lacks_impl(guard),
            Phase::Inspection => self.lacks_inspection(),
            Phase::Deploy => (self.permitted.allows(phase) && !self.merged)
                .then_some("deploy is permitted, and nobody merged"),
        }
    }

    fn lacks_document(&self, document: Document) -> Option<&'static str> {
        match self.documents[document as usize] {
            Some(_) if self.rejected[document as usize] => {
                Some("a document was rejected and not written anew")
            }
            Some(_) => None,
            None => Some("a document was never written"),
        }
    }

    fn lacks_review(&self) -> Option<&'static str> {
        let earlier = self.earlier[Phase::Review as usize];
        let Some((_, last)) = self.replies.last_key_value() else {
            return (!earlier).then_some("no reply was ever written");
        };
        let newest = self.documents.iter().flatten().max();
        match last.clear() {
            Some(found) if found == Findings::default() => {
                (newest > Some(&last.at)).then_some("a document is newer than its review")
            }
            _ if self.claimed => {
                Some("only an agent's word in spec.json says that the review is approved")
            }
            Some(_) => Some("the last reply left points open"),
            None => Some("the last reply is unclear"),
        }
    }

    fn lacks_impl(&self, guard: Guard) -> Option<&'static str> {
        let worked = self.implemented.is_some() || self.earlier[Phase::Impl as usize];
        match (self.tasks, guard) {
            (
                TaskFacts::Counted {
                    done,
                    total: total @ 1..,
                },
                _,
            ) => (done < total).then_some("a box is not ticked"),
            (_, Guard::Seed) => (!worked).then_some("nobody implemented anything"),
            (_, Guard::Strict) => Some("tasks.md has no boxes"),
        }
    }

    fn lacks_inspection(&self) -> Option<&'static str> {
        let Some((_, last)) = self.inspections.last_key_value() else {
            return Some("nobody inspected it");
        };
        match last.clear() {
            Some(Verdict::Go) => {
                (last.at < self.touched).then_some("it was changed after the inspection")
            }
            Some(Verdict::Nogo) => Some("the last inspection said NOGO"),
            None => Some("the last inspection is unclear"),
        }
    }
}
