//! Which requests of people fit the current state, and the answer to the others.

use super::state::{Halt, Halted, Run, State};
use crate::facts::Facts;
use crate::names::Document;

/// Why a request changes nothing, for the person who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

pub fn may_start(run: &Run) -> Result<(), Refusal> {
    match run.is_exhausted() {
        false => Ok(()),
        true => Err(Refusal(
            "the retries of impl are used up; look at tasks.md, then `kumite reset`".to_owned(),
        )),
    }
}

pub fn may_reset(run: &Run) -> Result<(), Refusal> {
    match run.is_at_rest() {
        true => Ok(()),
        false => Err(Refusal("it is running; stop it first".to_owned())),
    }
}

/// A review by hand is a run of its own: it does not join another one (A5.2).
pub fn may_review(run: &Run) -> Result<(), Refusal> {
    may_reset(run)
}

/// The document that an approval means: the named one, or the one that waits.
pub fn may_approve(
    run: &Run,
    facts: &Facts,
    document: Option<Document>,
) -> Result<Document, Refusal> {
    let document = document
        .or_else(|| waiting(run))
        .or_else(|| {
            Document::ALL.into_iter().find(|document| {
                let known = facts.document(*document);
                known.generated && !known.approved
            })
        })
        .ok_or_else(|| Refusal("no document waits for approval".to_owned()))?;
    match facts.document(document).generated {
        true => Ok(document),
        false => Err(Refusal(format!(
            "{} has not been generated yet",
            document.file()
        ))),
    }
}

/// Whether a person is asked about the permission for deploy.
pub fn may_approve_deploy(run: &Run) -> Result<(), Refusal> {
    match &run.state {
        State::Halted(halted) if halted.why == Halt::DeployDoubted => Ok(()),
        State::Idle
        | State::Queued { .. }
        | State::Working(_)
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Limited(_)
        | State::Halted(_)
        | State::Done(_) => Err(Refusal(
            "deploy does not wait for approval; it is permitted in spec.json \
             (autoExecution.permissions.deploy) while no agent works"
                .to_owned(),
        )),
    }
}

/// A person says that the tasks need no change: only a resting run can take that.
pub fn may_approve_impl(run: &Run) -> Result<(), Refusal> {
    match (run.is_at_rest(), run.is_exhausted()) {
        (true, false) => Ok(()),
        (true, true) => Err(Refusal(
            "the retries of impl are used up; `kumite reset` first".to_owned(),
        )),
        (false, _) => Err(Refusal("it is running; stop it first".to_owned())),
    }
}

pub fn may_undo(run: &Run) -> Result<(), Refusal> {
    match (run.is_at_rest(), run.memory.trust.site.worktree()) {
        (false, _) => Err(Refusal("it is running; stop it first".to_owned())),
        (true, None) => Err(Refusal(
            "it has no worktree of its own, so there are no checkpoints".to_owned(),
        )),
        (true, Some(_)) => Ok(()),
    }
}

pub fn may_reject(
    run: &Run,
    facts: &Facts,
    document: Option<Document>,
) -> Result<Document, Refusal> {
    if !run.is_at_rest() {
        return Err(Refusal("it is running; stop it first".to_owned()));
    }
    may_approve(run, facts, document)
}

fn waiting(run: &Run) -> Option<Document> {
    match &run.state {
        State::Halted(Halted {
            why: Halt::Waiting(document),
            ..
        }) => Some(*document),
        _ => None,
    }
}
