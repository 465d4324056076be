//! What the engine sees of a team, a metric and a judge: something that is tried, takes a while,
//! and returns a result or fails.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_core::contest::{Failed, Failure, Judgment, Measure, Used};
use kumite_models::Cancel;
use serde_json::Value;

use crate::prompts;
use crate::teams::agent::AgentTeam;

/// One try of any kind.
pub struct Try<'a> {
    pub contest_id: &'a str,
    pub team_id: &'a str,
    pub team_name: &'a str,
    pub round: u32,
    pub attempt: u32,
    pub timeout: Duration,
    /// Ends the try early. It answers within a moment, and no process that it started is left.
    pub cancel: &'a Cancel,
    /// The directory of this team's round, for files that the try wants to keep.
    pub dir: &'a Path,
}

/// A submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Handed {
    /// Empty if there is a flaw.
    pub text: String,
    /// Why it is not valid: the file is missing, or nothing was changed.
    pub flaw: Option<String>,
    /// `md`, `diff`, or the extension of the file.
    pub format: String,
    /// The conversation in the format that mixseek's readers know: a list of messages.
    pub messages: Value,
    /// The members' answers, as in mixseek's `member_submissions_record.submissions`.
    pub members: Value,
    pub used: Used,
}

/// A failed try.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    pub failed: Failed,
    pub used: Used,
}

impl Missed {
    /// A try that cost nothing.
    pub fn free(failure: Failure, why: String) -> Missed {
        Missed {
            failed: Failed {
                failure,
                why,
                retry_after_ms: None,
            },
            used: Used::default(),
        }
    }

    /// A template that cannot be rendered will not work next time either.
    pub fn without_prompt(error: &prompts::Error) -> Missed {
        let why = format!("cannot make the prompt: {error}");
        Missed::free(Failure::Lasting, why)
    }
}

/// D1: works independently, with nothing but the prompt (D3).
pub trait Team: Send + Sync {
    fn submit(&self, prompt: &str, turn: &Try<'_>) -> Result<Handed, Missed>;
}

/// One team as the engine asks it.
pub enum Player {
    /// The core decides after each of its agents what follows.
    Agents(Box<AgentTeam>),
    /// It answers once per try.
    Alone(Box<dyn Team>),
}

impl Player {
    /// Where it works, if it works on files.
    pub fn place(&self) -> Option<PathBuf> {
        match self {
            Player::Agents(team) => Some(team.place()),
            Player::Alone(_) => None,
        }
    }
}

/// One part of the evaluation.
pub trait Metric: Send + Sync {
    /// `submission` is a file; `worktree` is where an agent team worked.
    fn measure(
        &self,
        task: &str,
        submission: &Path,
        worktree: Option<&Path>,
        turn: &Try<'_>,
    ) -> Result<(Measure, Used), Missed>;
}

/// Says whether another round is worth it. It gets no team's name: `turn` is only for cancelling
/// and for its directory.
pub trait Judge: Send + Sync {
    fn judge(
        &self,
        case: &crate::judge::Case<'_>,
        turn: &Try<'_>,
    ) -> Result<(Judgment, Used), Missed>;
}
