//! The contract's words for a state, and the sentence for a person.

use super::memory::Deploy;
use super::spec_state::Rest;
use super::state::{Failure, Finish, Halt, Halted, Pause, Run, State};
use super::step::Step;
use super::turn::Next;
use crate::journal::By;
use crate::names::Phase;
use crate::notice::Notice;
use crate::place::CheckOutcome;

/// The final notice of a run that rests.
pub fn run_ended(run: &Run) -> Notice {
    let (rest, message) = match &run.state {
        State::Halted(halted) => (Rest::Halted(halted.why), halt_sentence(halted)),
        State::Done(finish) => (Rest::Done(*finish), finish_sentence(*finish, run)),
        State::Idle
        | State::Queued { .. }
        | State::Working(_)
        | State::Finishing(_)
        | State::Stopping { .. }
        | State::Limited(_) => (Rest::Idle, "nothing has been asked of it".to_owned()),
    };
    Notice::RunEnded { rest, message }
}

pub(super) fn first_phase(next: &Next) -> Option<Phase> {
    match next {
        Next::Begin(step) => Some(step.phase()),
        Next::Again { work, .. } => Some(work.step.phase()),
        Next::Wait(wait) => wait.resume.step.map(Step::phase),
        Next::Halt(halted) => halted.resume.step.map(Step::phase),
        Next::Finish(Finish::NotPermitted(phase) | Finish::UntilReached(phase)) => Some(*phase),
        Next::Finish(Finish::AllPhasesDone) => None,
    }
}

/// The phase that people see: the current one, or the next one.
pub fn phase_of(run: &Run) -> Option<Phase> {
    match &run.state {
        State::Idle => None,
        State::Queued { resume } => resume.step.map(Step::phase),
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
            Some(work.step.phase())
        }
        State::Limited(wait) => wait.resume.step.map(Step::phase),
        State::Halted(halted) => halted.resume.step.map(Step::phase),
        State::Done(Finish::NotPermitted(phase) | Finish::UntilReached(phase)) => Some(*phase),
        State::Done(Finish::AllPhasesDone) => None,
    }
}

fn finish_sentence(finish: Finish, run: &Run) -> String {
    match finish {
        Finish::AllPhasesDone => {
            let deploy = match run.memory.deploy {
                Deploy::NotPermitted => "; deploy is not permitted",
                Deploy::ByPerson | Deploy::Unseen | Deploy::Doubted => "",
            };
            format!("all phases are done{deploy}; {}", verified(run))
        }
        Finish::NotPermitted(phase) => {
            let verified = match phase > Phase::Impl {
                true => format!("; {}", verified(run)),
                false => String::new(),
            };
            format!(
                "the next phase, {}, is not permitted in spec.json (autoExecution.permissions){verified}",
                phase.name()
            )
        }
        Finish::UntilReached(phase) if phase >= Phase::Impl => {
            format!("{} is done, as asked for; {}", phase.name(), verified(run))
        }
        Finish::UntilReached(phase) => format!("{} is done, as asked for", phase.name()),
    }
}

/// What shows that the code works, besides an agent's word.
fn verified(run: &Run) -> String {
    let Some(evidence) = &run.memory.trust.evidence else {
        return "not verified".to_owned();
    };
    let checks = evidence.checks.iter();
    let words = checks.map(|check| match check.outcome {
        CheckOutcome::Flaky => format!("{} (flaky)", check.name),
        CheckOutcome::Passed | CheckOutcome::Failed | CheckOutcome::Timeout => check.name.clone(),
    });
    format!("verified by {}", words.collect::<Vec<_>>().join(", "))
}

fn halt_sentence(halted: &Halted) -> String {
    let sentence = sentence_of(halted);
    match halted.last_words.as_str() {
        "" => sentence,
        words => format!("{sentence}; the agent's last words: \"{words}\""),
    }
}

/// Whether a person needs to know the agent's last words.
pub(super) fn carries_last_words(why: Halt) -> bool {
    match why {
        Halt::Paused(why) => match why {
            Pause::NoEvidence | Pause::EvidenceConflict | Pause::InspectionNogo => true,
            Pause::NeedsDiscussion
            | Pause::RoundsExhausted
            | Pause::SpecUnreadable
            | Pause::SpecUnwritable
            | Pause::Budget
            | Pause::WorktreeConflict
            | Pause::BaselineFailed
            | Pause::ProtectedChanged
            | Pause::ByUser => false,
        },
        Halt::Failed(why) => match why {
            Failure::RetriesExhausted
            | Failure::AgentFailed
            | Failure::AgentHung
            | Failure::Timeout => true,
            Failure::AgentMissing | Failure::SetupFailed => false,
        },
        Halt::Waiting(_) | Halt::DeployDoubted | Halt::Limited { .. } | Halt::Stopped(_) => false,
    }
}

fn sentence_of(halted: &Halted) -> String {
    let detail = &halted.detail;
    let step = match halted.resume.step {
        Some(step) => step.name(),
        None => "run",
    };
    match halted.why {
        Halt::Waiting(document) => format!(
            "{} waits for approval: read it, then `kumite approve` or `kumite reject`",
            document.file()
        ),
        Halt::DeployDoubted => {
            "deploy waits for approval: spec.json permits it only since an agent \
            worked on this spec; look at it, then `kumite approve SPEC deploy`"
                .to_owned()
        }
        Halt::Limited { .. } => limit_sentence(detail),
        Halt::Stopped(By::User) => "stopped by you; `kumite resume` goes on".to_owned(),
        Halt::Stopped(By::Interrupt) => "kumite was interrupted; `kumite run` goes on".to_owned(),
        Halt::Paused(why) => pause_sentence(why, step, detail),
        Halt::Failed(why) => failure_sentence(why, step, detail),
    }
}

/// Why a run waits for its agent's program.
pub fn limit_sentence(words: &str) -> String {
    format!("the agent's program may not work for now ({words}); `kumite resume` tries it at once")
}

fn pause_sentence(why: Pause, step: &str, detail: &str) -> String {
    match why {
        Pause::NeedsDiscussion => format!(
            "the review needs a person ({detail}): read the last reply, decide, then `kumite resume`"
        ),
        Pause::RoundsExhausted => format!(
            "the review rounds are used up ({detail}): look at the documents; `kumite resume` grants new rounds"
        ),
        Pause::NoEvidence => format!(
            "no evidence for the {step} step: {detail}; `kumite resume` looks again and does what is missing"
        ),
        Pause::EvidenceConflict => format!(
            "the evidence of the {step} step contradicts itself: {detail}; correct one, then `kumite resume`"
        ),
        Pause::InspectionNogo => {
            format!("{detail}, and no inspection is left: fix it, then `kumite resume`")
        }
        Pause::SpecUnreadable => {
            format!("spec.json cannot be read: {detail}; correct it, then `kumite resume`")
        }
        Pause::SpecUnwritable => {
            format!("spec.json cannot be written: {detail}; `kumite resume` tries again")
        }
        Pause::Budget => format!("{detail}, then `kumite resume`"),
        Pause::WorktreeConflict => {
            format!("the worktree cannot be made: {detail}; then `kumite resume`")
        }
        Pause::BaselineFailed => format!(
            "the project's own commands fail before any work ({detail}): repair that, then `kumite resume` (or [verify] baseline = \"warn\")"
        ),
        Pause::ProtectedChanged => format!(
            "protected files were changed ({detail}): look at them with `kumite diff`; `kumite resume` accepts them"
        ),
        Pause::ByUser => "paused by you; `kumite resume` goes on".to_owned(),
    }
}

fn failure_sentence(why: Failure, step: &str, detail: &str) -> String {
    match why {
        Failure::RetriesExhausted => {
            format!("{detail}, then `kumite reset` and `kumite run`")
        }
        Failure::AgentFailed => format!(
            "the agent of the {step} step failed: {detail}; see `kumite log`, then `kumite resume`"
        ),
        Failure::AgentMissing => format!(
            "the agent of the {step} step could not be started: {detail}; see `kumite agent list`, then `kumite resume`"
        ),
        Failure::AgentHung => format!(
            "the agent of the {step} step said nothing for too long and was ended (agent.silence_timeout); `kumite resume` tries again"
        ),
        Failure::SetupFailed => format!(
            "the worktree could not be set up: {detail}; see `kumite log`, then `kumite resume`"
        ),
        Failure::Timeout => format!(
            "the {step} step took longer than it may and was ended (run.step_timeout); `kumite resume` tries again"
        ),
    }
}
