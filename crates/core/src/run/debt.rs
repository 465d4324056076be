//! What spec.json must be told before anything is judged by it.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::change::Change;
use crate::facts::Facts;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Debt {
    /// Changes that could not be written: they are written first when the run goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaved: Vec<Change>,
    /// The agent of this step ended while spec.json was unreadable: what is found there later may
    /// be only its claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsure: Option<Step>,
}

impl Debt {
    /// Pays: earlier changes that could not be written, and no claims that only the agent of the
    /// `doubted` step made.
    pub(super) fn pay(&mut self, doubted: Option<Step>, facts: &mut Facts) -> Vec<Change> {
        let mut changes = std::mem::take(&mut self.unsaved);
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

    /// One change, after all earlier ones that could not be written.
    pub(super) fn pay_with(&mut self, change: Change) -> Vec<Change> {
        let mut changes = std::mem::take(&mut self.unsaved);
        changes.push(change);
        changes
    }
}
