//! What a run knows about its place and about the evidence for its work.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::state::{Halt, Halted, Pause, Resume, State};
use super::step::{Attempt, Gate, Step, Verify};
use crate::facts::{Facts, Stamp};
use crate::journal::{AgentId, Order};
use crate::names::Phase;
use crate::place::{Check, Content, Place, PlaceLook};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trust {
    #[serde(skip_serializing_if = "Site::is_unknown")]
    pub site: Site,
    /// The last checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// The tree whose protected files a person has accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// A person went on although something was changed that should not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepts: Option<Accepts>,
    /// A person says that the tasks need no change of the code.
    #[serde(skip_serializing_if = "is_false")]
    pub no_change_needed: bool,
    /// The texts of the tasks when impl began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<String>>,
    /// The last attempt of impl: a check that fails later continues its count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    /// Why impl was begun again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<Because>,
    /// The commands that are being run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checking: Option<Checking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The number of the run whose baseline was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u32>,
    /// Where the run goes on after the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins_at: Option<Resume>,
    /// The state that an undo returns to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rested: Option<Box<State>>,
}

/// What a person was asked about and accepts, as soon as the run sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accepts {
    Protected,
    Tasks,
}

/// Where a spec is implemented.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Site {
    #[default]
    Unknown,
    /// In the checkout of the project, which it shares with others.
    Checkout,
    Worktree(Place),
}

impl Site {
    fn is_unknown(&self) -> bool {
        *self == Site::Unknown
    }

    pub fn worktree(&self) -> Option<&Place> {
        match self {
            Site::Worktree(place) => Some(place),
            Site::Unknown | Site::Checkout => None,
        }
    }
}

/// A checkpoint: the content of the worktree at one journal entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub seq: u64,
    pub tree: String,
}

/// Why an implementation is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    TasksOpen,
    /// This command failed; `agent` names its log.
    Verify {
        name: String,
        agent: AgentId,
    },
    /// Boxes were ticked, and nothing has changed.
    Phantom,
}

impl Because {
    pub fn word(&self) -> &'static str {
        match self {
            Because::TasksOpen => "tasks_open",
            Because::Verify { .. } => "verify",
            Because::Phantom => "phantom",
        }
    }
}

/// The commands of one gate, as far as they were run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checking {
    /// The code when they began. None: the spec has no worktree.
    pub code: Option<Stamp>,
    pub checks: Vec<Check>,
    /// They changed files, so they are run once more.
    pub again: bool,
}

/// All commands have passed on this code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// None: the spec has no worktree, so only this run knows what it has changed.
    pub code: Option<Stamp>,
    pub tree: Option<String>,
    pub at_ms: u64,
    pub checks: Vec<Check>,
}

impl Trust {
    /// After a look at the files: what the rules must know about the code.
    pub(super) fn looked(&mut self, order: &Order, facts: &mut Facts) {
        if self.site.worktree().is_some() && facts.place.is_none() {
            let why = "spec.json does not name the worktree of the spec any more";
            facts.place = PlaceLook::Unreadable(why.to_owned());
        }
        let is_readable = !matches!(facts.place, PlaceLook::Unreadable(_));
        let code = facts.place.content().map(|content| content.code);
        let is_passed = |it: &Evidence| it.code == code && are_of(&it.checks, order);
        let is_verified = is_readable && self.evidence.as_ref().is_some_and(is_passed);
        facts.unverified = !order.verify.is_empty() && !is_verified;
        // Nobody knows what was done in a worktree before it was taken over.
        let made = self.site.worktree().filter(|place| place.made);
        let began = made.map(|place| place.begin.code);
        facts.untouched = began.is_some() && began == code && !self.no_change_needed;
        match (self.accepts, &mut facts.place) {
            (Some(Accepts::Tasks), _) => facts.vanished.clear(),
            (Some(Accepts::Protected), PlaceLook::Seen(place)) => {
                self.accepted = Some(place.content.tree.clone());
                place.protected.clear();
            }
            // It waits for a look that shows the files.
            (Some(Accepts::Protected), PlaceLook::Unreadable(_)) => return,
            (Some(Accepts::Protected), PlaceLook::None) | (None, _) => {}
        }
        self.accepts = None;
    }

    /// A person goes on: what they were asked about is accepted.
    pub(super) fn resumed(&mut self, halted: &Halted) {
        let is_impl = matches!(halted.resume.step, Some(Step::Implement(_) | Step::Fix(_)));
        match halted.why {
            Halt::Paused(Pause::ProtectedChanged) => self.accepts = Some(Accepts::Protected),
            Halt::Paused(Pause::EvidenceConflict) if is_impl => {
                self.accepts = Some(Accepts::Tasks);
                self.tasks = None;
            }
            _ => {}
        }
    }

    /// An agent or a command for `step` begins.
    pub(super) fn begins(&mut self, step: Step, facts: Option<&Facts>) {
        let code = || Some(facts?.place.content()?.code);
        if !step.is_errand() {
            // What an agent changes from now on was not looked at.
            self.accepts = None;
        }
        match step {
            Step::Implement(attempt) => {
                self.attempt = Some(attempt);
                self.forget_evidence();
                let known = facts.map(|facts| facts.task_list.clone());
                let known = known.filter(|tasks| !tasks.is_empty());
                self.tasks = self.tasks.take().or(known);
            }
            Step::Fix(_) => self.forget_evidence(),
            Step::Verify(Verify { command: 0, .. }) if self.checking.is_none() => {
                self.checking = Some(Checking {
                    code: code(),
                    checks: Vec::new(),
                    again: false,
                });
            }
            Step::Write(_) | Step::Review(_) | Step::Reply(_) => {
                // The tasks may become others.
                self.tasks = None;
            }
            Step::Verify(_)
            | Step::Inspect(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Undo(_) => {}
        }
    }

    /// The work is merged, and its place is done with: newer work gets another one.
    pub(super) fn merged(&mut self) {
        self.site = Site::Unknown;
        self.accepted = None;
        self.tasks = None;
    }

    /// What an agent is going to change is not what was checked.
    fn forget_evidence(&mut self) {
        self.checking = None;
        self.evidence = None;
    }

    /// Content that the last checkpoint does not have becomes checkpoint `seq`.
    pub(super) fn keep(&mut self, facts: Option<&Facts>, seq: u64) -> Option<Content> {
        let content = facts?.place.content()?;
        let is_new = self.kept.as_ref().is_none_or(|it| it.tree != content.tree);
        let tree = content.tree.clone();
        is_new.then(|| self.kept = Some(Kept { seq, tree }));
        is_new.then(|| content.clone())
    }

    /// Whether a worktree is to be made before impl begins. A spec that was already begun in the
    /// checkout goes on there.
    pub(super) fn wants_place(&self, order: &Order, attempt: Attempt, facts: &Facts) -> bool {
        let is_begun = facts.place.is_none()
            && (facts.tasks.done() > 0
                || facts.completed >= Some(Phase::Impl)
                || attempt.retry > 0);
        order.rules.worktree && self.site == Site::Unknown && !is_begun
    }
}

/// The known tasks that are not there any more. What was added to the text of a task, such as a
/// remark, does not make it another one.
pub fn vanished(known: &[String], now: &[String]) -> Vec<String> {
    let plain = |text: &String| -> String {
        let words = text.chars().filter(|it| it.is_alphanumeric());
        words.flat_map(char::to_lowercase).collect()
    };
    let now: BTreeSet<String> = now.iter().map(plain).collect();
    let is_there = |text: &&String| {
        let text = plain(text);
        let next = now.range(text.clone()..).next();
        next.is_some_and(|next| next.starts_with(&text))
    };
    let gone = known.iter().filter(|text| !is_there(text));
    gone.cloned().collect()
}

/// Whether these are the results of exactly the order's commands.
pub(super) fn are_of(checks: &[Check], order: &Order) -> bool {
    checks.iter().map(|check| &check.name).eq(&order.verify)
}

impl Gate {
    /// The phase must not go on with code that the project's commands have not passed.
    pub(super) fn closed(self, order: &Order, facts: &Facts) -> Option<Step> {
        let verify = Verify::first(self, order.rules.flaky);
        facts.unverified.then_some(Step::Verify(verify))
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e4_6_a_task_is_recognised_by_its_text() {
        let list = |texts: &[&str]| texts.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        let known = list(&["1.1 Log in", "1.2 Log out", "2 Write `tests`"]);
        let rows = [
            (
                list(&["1.1 Log in", "1.2 Log out", "2 Write tests", "3 New"]),
                list(&[]),
            ),
            (
                list(&[
                    "1.1 Log in (done on Monday)",
                    "1.2 log out!",
                    "2 Write tests",
                ]),
                list(&[]),
            ),
            (
                list(&["1.1 Log in", "2 Write tests"]),
                list(&["1.2 Log out"]),
            ),
            (
                list(&["1.1 Log in", "1.2 Nothing", "2 Write tests"]),
                list(&["1.2 Log out"]),
            ),
            (list(&[]), known.clone()),
        ];
        for (now, gone) in rows {
            assert_eq!(vanished(&known, &now), gone, "{now:?}");
        }
    }
}
