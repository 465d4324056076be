//! The effect of a change to spec.json on the facts, without reading the files again.
//!
//! The rules use it to include changes that are decided but not yet written.

use crate::change::Change;
use crate::facts::{Facts, InspectionFacts, RoundFacts, RoundProgress};
use crate::names::{Document, Phase};

impl Facts {
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Generated(document) => {
                self.set_document(document, true, false);
                self.completed = None;
                self.withdraw_review();
            }
            Change::Approved(document) => self.set_document(document, true, true),
            Change::Rejected(document) => {
                self.set_document(document, false, false);
                self.completed = None;
                self.withdraw_review();
                for later in Document::ALL {
                    if later > document {
                        self.documents[later as usize].approved = false;
                    }
                }
            }
            Change::ReviewStarted(number) => {
                self.review.approved = false;
                self.review.pending = false;
                let round = self.round_mut(number);
                round.recorded = round.recorded.or(Some(RoundProgress::Incomplete));
            }
            Change::ReviewWritten(number) => {
                self.round_mut(number).recorded = Some(RoundProgress::ReviewComplete);
            }
            Change::Replied(number, findings) | Change::Judged(number, findings) => {
                let round = self.round_mut(number);
                round.recorded = Some(RoundProgress::ReplyComplete);
                round.counts = Some(findings);
                round.unclear = false;
            }
            Change::ReviewApproved => {
                self.review.approved = true;
                self.review.pending = false;
            }
            Change::Implemented => self.complete(Phase::Impl),
            Change::Inspected(number, verdict) => {
                let inspection = self.inspection_mut(number);
                inspection.recorded = Some(verdict);
                inspection.unclear = false;
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

    /// The reviewed text is no longer the current one.
    fn withdraw_review(&mut self) {
        self.review.approved = false;
        self.review.pending = true;
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
            self.withdraw_review();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{DocumentFacts, Findings, Verdict};

    const OPEN: Findings = Findings {
        fix_required: 2,
        needs_discussion: 1,
    };

    fn after(changes: &[Change]) -> Facts {
        let mut facts = Facts::default();
        changes.iter().for_each(|change| facts.apply(*change));
        facts
    }

    fn approvals(facts: &Facts) -> [(bool, bool); 3] {
        facts
            .documents
            .map(|document| (document.generated, document.approved))
    }

    /// Everything is done.
    fn deployed() -> Facts {
        let mut changes: Vec<Change> = Document::ALL.map(Change::Approved).to_vec();
        changes.extend([Change::ReviewApproved, Change::Deployed]);
        after(&changes)
    }

    #[test]
    fn a_document_is_generated_and_then_approved() {
        let generated = after(&[Change::Generated(Document::Design)]);
        assert_eq!(approvals(&generated)[1], (true, false));
        let approved = after(&[Change::Approved(Document::Design)]);
        assert_eq!(approvals(&approved)[1], (true, true));
    }

    #[test]
    fn a_rejected_document_is_to_be_written_and_later_ones_lose_their_approval() {
        let mut facts = deployed();
        facts.apply(Change::Rejected(Document::Design));
        let expected = [(true, true), (false, false), (true, false)];
        assert_eq!(approvals(&facts), expected);
        assert_eq!(facts.completed, None);
    }

    #[test]
    fn a1_3_a_round_goes_from_begun_to_replied_with_its_counts() {
        let progress = |changes: &[Change]| after(changes).review.rounds[0].recorded;
        let begun = Change::ReviewStarted(1);
        let written = Change::ReviewWritten(1);
        assert_eq!(progress(&[begun]), Some(RoundProgress::Incomplete));
        assert_eq!(
            progress(&[begun, written]),
            Some(RoundProgress::ReviewComplete)
        );
        // A round that got further keeps its progress.
        assert_eq!(
            progress(&[written, begun]),
            Some(RoundProgress::ReviewComplete)
        );
        let facts = after(&[begun, written, Change::Replied(1, OPEN)]);
        let round = facts.review.rounds[0];
        assert_eq!(round.recorded, Some(RoundProgress::ReplyComplete));
        assert_eq!(round.counts, Some(OPEN));
    }

    #[test]
    fn a10_a_round_that_begins_takes_an_approval_back() {
        let facts = after(&[Change::ReviewApproved, Change::ReviewStarted(2)]);
        assert!(!facts.review.approved);
    }

    #[test]
    fn rounds_and_inspections_stay_sorted() {
        let facts = after(&[
            Change::ReviewStarted(3),
            Change::ReviewStarted(1),
            Change::ReviewStarted(2),
            Change::Inspected(2, Verdict::Go),
            Change::Inspected(1, Verdict::Nogo),
            Change::Fixed(1),
        ]);
        let numbers: Vec<u32> = facts.review.rounds.iter().map(|it| it.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
        let inspections: Vec<(u32, bool)> = facts
            .inspections
            .iter()
            .map(|it| (it.number, it.fixed))
            .collect();
        assert_eq!(inspections, [(1, true), (2, false)]);
    }

    #[test]
    fn a_finished_phase_does_not_take_a_later_one_back() {
        let facts = after(&[Change::InspectionPassed, Change::Implemented]);
        assert_eq!(facts.completed, Some(Phase::Inspection));
    }

    #[test]
    fn c7_a_reopened_phase_and_all_after_it_are_to_be_done_anew() {
        let reopened = |phase| {
            let mut facts = deployed();
            facts.apply(Change::Reopened(phase));
            facts
        };
        let design = reopened(Phase::Design);
        let expected = [(true, true), (false, false), (false, false)];
        assert_eq!(approvals(&design), expected);
        assert!(!design.review.approved);
        assert_eq!(design.completed, None);
        let inspection = reopened(Phase::Inspection);
        assert!(inspection.review.approved);
        assert_eq!(inspection.completed, None);
    }

    #[test]
    fn a_change_applied_twice_is_the_same_as_once() {
        let changes = [
            Change::Generated(Document::Tasks),
            Change::Approved(Document::Tasks),
            Change::Rejected(Document::Design),
            Change::ReviewStarted(1),
            Change::ReviewWritten(1),
            Change::Replied(1, OPEN),
            Change::ReviewApproved,
            Change::Implemented,
            Change::Inspected(1, Verdict::Nogo),
            Change::Fixed(1),
            Change::InspectionPassed,
            Change::Deployed,
            Change::Reopened(Phase::Impl),
        ];
        for change in changes {
            let once = after(&[change]);
            assert_eq!(after(&[change, change]), once, "{change:?}");
        }
    }

    #[test]
    fn files_are_untouched() {
        let mut facts = Facts::default();
        let stamp = Some(crate::facts::Stamp::Fnv(1));
        facts.documents = [DocumentFacts {
            stamp,
            ..DocumentFacts::default()
        }; 3];
        facts.apply(Change::Reopened(Phase::Requirements));
        assert!(facts.documents.iter().all(|it| it.stamp == stamp));
    }
}
