//! Every end has a reason from the contract, and everything ends once faults have stopped.

use kumite_core::notice::Notice;
use kumite_core::run::{Reason, Rest, SpecState, State};

use crate::check::{Verdict, broken};
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

/// The values that the contract allows for `reason`, from the design document.
pub const REASONS: [&str; 26] = [
    "all_phases_done",
    "not_permitted",
    "approval_needed",
    "needs_discussion",
    "rounds_exhausted",
    "retries_exhausted",
    "no_evidence",
    "evidence_conflict",
    "inspection_nogo",
    "agent_failed",
    "agent_missing",
    "agent_hung",
    "timeout",
    "until_reached",
    "usage_limit",
    "budget",
    "spec_unreadable",
    "spec_unwritable",
    "stopped_by_user",
    "paused_by_user",
    "diverging",
    "worktree_conflict",
    "setup_failed",
    "baseline_failed",
    "protected_changed",
    "interrupted",
];

#[derive(Default)]
pub struct Ends {
    specs: Vec<Told>,
}

/// What people were last told about a spec.
#[derive(Clone, Default)]
struct Told {
    /// Its last reason, if nothing has begun since.
    last_word: Option<String>,
    began: bool,
    /// They know that it waits for the end of a limit.
    waits: bool,
}

impl Ends {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        match &line.what {
            What::Began(Terms { machines, .. }) => self.specs.resize(*machines, Told::default()),
            What::Started(..) | What::Own(News::Announced(_, Notice::RunQueued(_))) => {
                self.specs[line.machine] = Told {
                    last_word: None,
                    began: true,
                    waits: false,
                };
            }
            What::Own(News::Announced(_, Notice::LimitWaiting { .. })) => {
                self.specs[line.machine] = Told {
                    last_word: None,
                    began: true,
                    waits: true,
                };
            }
            What::Own(News::Announced(_, Notice::RunEnded { rest, .. })) => {
                let reason = word(*rest);
                self.specs[line.machine].last_word = Some(reason.to_owned());
                return contract_word(*rest, reason);
            }
            What::Decided(_) => return self.said(line.machine, replica),
            What::Over { out_of_patience } => return self.over(*out_of_patience),
            _ => {}
        }
        Ok(())
    }

    /// A run at rest must have announced it after its last activity.
    fn said(&self, spec: usize, replica: &Replica) -> Verdict {
        let told = &self.specs[spec];
        let rests = match &replica.machine.state {
            State::Halted(_) | State::Done(_) => true,
            State::Idle => told.began,
            State::Limited(_) if !told.waits => {
                return broken("every wait is announced", "it waits, and nobody was told");
            }
            _ => false,
        };
        match rests && told.last_word.is_none() {
            false => Ok(()),
            true => broken(
                "every end is announced",
                format!(
                    "it rests in {:?} and nobody was told",
                    replica.machine.state
                ),
            ),
        }
    }

    fn over(&self, out_of_patience: bool) -> Verdict {
        let unfinished = self
            .specs
            .iter()
            .position(|told| told.last_word.as_deref() != Some("all_phases_done"));
        match (out_of_patience, unfinished) {
            (false, None) => Ok(()),
            (_, spec) => broken(
                "everything ends once faults have stopped",
                format!("spec {spec:?} is not done; out of patience: {out_of_patience}"),
            ),
        }
    }
}

/// The reason as people read it.
pub fn word(rest: Rest) -> &'static str {
    SpecState::from(rest).reason().map_or("", Reason::word)
}

fn contract_word(rest: Rest, reason: &str) -> Verdict {
    let fits = match rest {
        Rest::Idle => reason.is_empty(),
        Rest::Halted(_) | Rest::Done(_) => REASONS.contains(&reason),
        // The host reports these when it has no journal to decide on; no rule does.
        Rest::JournalUnreadable | Rest::JournalUnwritable => false,
    };
    match fits {
        true => Ok(()),
        false => broken(
            "a reason is a word of the contract",
            format!("{rest:?} because of {reason:?}"),
        ),
    }
}
