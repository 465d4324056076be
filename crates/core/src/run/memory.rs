//! What a run remembers because the files alone cannot tell it. It holds in every state.

use serde::{Deserialize, Serialize};

use super::state::Parked;
use super::step::Step;
use super::trust::Trust;
use crate::change::Change;
use crate::facts::Facts;
use crate::journal::Order;
use crate::names::{Document, Phase};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// There is newer work than the last inspection: an older GO does not apply to it.
    #[serde(default)]
    pub inspection_due: bool,
    #[serde(default)]
    pub deploy: Deploy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// Left by a run that ended before its step came again: the next run takes it along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<Parked>,
    /// The question that the last impl agent ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    #[serde(default)]
    pub trust: Box<Trust>,
}

/// A person's words at the rejection of a document, for the agent that writes it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    pub document: Document,
    pub words: String,
}

/// An impl agent asked something instead of finishing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub words: String,
    /// How many boxes it left open.
    pub open: u32,
}

/// Where the permission for deploy in spec.json comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deploy {
    #[default]
    NotPermitted,
    /// It was there when no agent worked, or a person confirmed it.
    ByPerson,
    /// An agent worked, and spec.json was unreadable afterwards: it is not known yet.
    Unseen,
    /// It appeared while an agent worked.
    Doubted,
}

impl Deploy {
    /// After a look at spec.json. `worked`: an agent worked since the previous look.
    fn seen(self, permitted: bool, worked: bool) -> Deploy {
        match (permitted, self) {
            (false, _) => Deploy::NotPermitted,
            (true, Deploy::NotPermitted) if worked => Deploy::Doubted,
            (true, Deploy::NotPermitted | Deploy::ByPerson) => Deploy::ByPerson,
            (true, Deploy::Unseen | Deploy::Doubted) => Deploy::Doubted,
        }
    }

    /// After the end of an agent, if spec.json is unreadable.
    fn unseen(self) -> Deploy {
        match self {
            Deploy::NotPermitted | Deploy::Unseen => Deploy::Unseen,
            Deploy::ByPerson | Deploy::Doubted => self,
        }
    }
}

impl Memory {
    /// After a look at spec.json. `worked`: an agent worked since the previous look.
    pub(super) fn looked(&mut self, order: &Order, facts: &mut Facts, worked: bool) {
        self.trust.looked(order, facts);
        let permitted = facts.permitted.allows(Phase::Deploy);
        self.deploy = self.deploy.seen(permitted, worked);
        facts.deploy_doubted = self.deploy == Deploy::Doubted;
    }

    /// An agent worked, and spec.json was unreadable afterwards.
    pub(super) fn saw_nothing(&mut self) {
        self.deploy = self.deploy.unseen();
    }

    pub(super) fn note(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::InspectionPassed => self.inspection_due = false,
                Change::Reopened(_) => self.inspection_due = true,
                Change::Implemented => self.trust.because = None,
                Change::Deployed => self.trust.merged(),
                Change::Generated(_)
                | Change::ReviewStarted(_)
                | Change::ReviewApproved
                | Change::Replied(..)
                | Change::Judged(..)
                | Change::Fixed(_)
                | Change::Approved(_)
                | Change::Rejected(_)
                | Change::ReviewWritten(_)
                | Change::Inspected(..) => {}
            }
        }
        let written = |it: &&Change| matches!(it, Change::Generated(_) | Change::Rejected(_));
        if let Some(Change::Generated(_)) = changes.iter().rfind(written) {
            // The remark was for the document that has now been written.
            self.remark = None;
        }
    }

    /// Whatever the result of an agent for `step`, it may change inspected work.
    pub(super) fn begins(&mut self, step: Step, facts: Option<&Facts>) {
        self.inspection_due |= match step {
            Step::Write(_)
            | Step::Review(_)
            | Step::Reply(_)
            | Step::Implement(_)
            | Step::Fix(_)
            | Step::Undo(_) => true,
            Step::Inspect(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_) => false,
        };
        self.trust.begins(step, facts);
    }

    /// The remark for the agent of `step`.
    pub(super) fn remark_for(&self, step: Step) -> Option<String> {
        let remark = self.remark.as_ref();
        let remark = remark.filter(|remark| step == Step::Write(remark.document));
        remark.map(|remark| remark.words.clone())
    }
}
