//! What a change to spec.json does to the facts, without looking at the files again.
//!
//! The rules use it to see past changes that are decided but not yet written.

use crate::change::Change;
use crate::facts::{Facts, InspectionFacts, RoundFacts, RoundProgress};
use crate::names::{Document, Phase};

impl Facts {
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Generated(document) => self.set_document(document, true, false),
            Change::Approved(document) => self.set_document(document, true, true),
            Change::Rejected(document) => {
                self.set_document(document, false, false);
                for later in Document::ALL {
                    if later > document {
                        self.documents[later as usize].approved = false;
                    }
                }
            }
            Change::ReviewStarted(number) => {
                let round = self.round_mut(number);
                round.recorded = round.recorded.or(Some(RoundProgress::Incomplete));
            }
            Change::ReviewWritten(number) => {
                self.round_mut(number).recorded = Some(RoundProgress::ReviewComplete);
            }
            Change::Replied(number, findings) => {
                let round = self.round_mut(number);
                round.recorded = Some(RoundProgress::ReplyComplete);
                round.counts = Some(findings);
            }
            Change::ReviewApproved => self.review.approved = true,
            Change::Implemented => self.complete(Phase::Impl),
            Change::Inspected(number, verdict) => {
                self.inspection_mut(number).recorded = Some(verdict);
            }
            Change::Fixed(number) => self.inspection_mut(number).fixed = true,
            Change::InspectionPassed => self.complete(Phase::Inspection),
            Change::Deployed => self.complete(Phase::Deploy),
            Change::Reopened(phase) => self.reopen(phase),
        }
    }

    fn set_document(&mut self, document: Document, generated: bool, approved: bool) {
        let facts = &mut self.documents[document as usize];
        (facts.generated, facts.approved) = (generated, approved);
    }

    fn complete(&mut self, phase: Phase) {
        self.completed = self.completed.max(Some(phase));
    }

    fn reopen(&mut self, phase: Phase) {
        for document in Document::ALL {
            if document.phase() >= phase {
                self.set_document(document, false, false);
            }
        }
        if phase <= Phase::Review {
            self.review.approved = false;
        }
        self.completed = self.completed.filter(|completed| *completed < phase);
    }

    fn round_mut(&mut self, number: u32) -> &mut RoundFacts {
        let rounds = &mut self.review.rounds;
        let at = match rounds.binary_search_by_key(&number, |round| round.number) {
            Ok(at) => at,
            Err(at) => {
                let round = RoundFacts {
                    number,
                    ..RoundFacts::default()
                };
                rounds.insert(at, round);
                at
            }
        };
        &mut rounds[at]
    }

    fn inspection_mut(&mut self, number: u32) -> &mut InspectionFacts {
        let inspections = &mut self.inspections;
        let at = match inspections.binary_search_by_key(&number, |known| known.number) {
            Ok(at) => at,
            Err(at) => {
                let inspection = InspectionFacts {
                    number,
                    ..InspectionFacts::default()
                };
                inspections.insert(at, inspection);
                at
            }
        };
        &mut inspections[at]
    }
}
