//! The rows of the leader board's database. One [`Write`] is one transaction.
//!
//! Times are milliseconds since 1970, UTC. Columns with JSON are texts here: the code that makes
//! the row has already made the JSON.

use serde::{Deserialize, Serialize};

/// Rows that belong together: either all of them are in the database, or none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Write {
    pub rows: Vec<Row>,
}

/// One row. Writing it again replaces it, so repetition after a crash does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "table", rename_all = "snake_case")]
pub enum Row {
    RoundStatus(RoundStatus),
    LeaderBoard(LeaderBoard),
    RoundHistory(RoundHistory),
    TeamStatus(TeamStatus),
    ExecutionSummary(ExecutionSummary),
}

/// The round of a team: unique in three of the tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundKey {
    pub execution_id: String,
    pub team_id: String,
    pub team_name: String,
    pub round_number: u32,
}

/// D7. Written when a round starts, and again when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundStatus {
    #[serde(flatten)]
    pub place: RoundKey,
    pub should_continue: Option<bool>,
    pub reasoning: Option<String>,
    pub confidence_score: Option<f64>,
    pub round_started_at: Option<u64>,
    pub round_ended_at: Option<u64>,
    pub created_at: u64,
    pub updated_at: u64,
}

/// D8. A scored submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderBoard {
    #[serde(flatten)]
    pub place: RoundKey,
    pub submission_content: String,
    pub submission_format: String,
    pub score: f64,
    pub score_details: String,
    pub final_submission: bool,
    pub exit_reason: Option<String>,
    pub created_at: u64,
    pub updated_at: u64,
}

/// What was said in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundHistory {
    #[serde(flatten)]
    pub place: RoundKey,
    pub message_history: String,
    pub member_submissions_record: String,
    pub created_at: u64,
}

/// D9. The state of a team, and the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamStatus {
    pub execution_id: String,
    pub team_id: String,
    pub team_name: String,
    /// The position of the team in the settings, from 0: of equal best teams the first one wins.
    pub position: u32,
    /// `working`, `done`, `failed` or `disqualified`.
    pub state: String,
    pub exit_reason: Option<String>,
    pub message: Option<String>,
    pub updated_at: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutionSummary {
    pub execution_id: String,
    pub user_prompt: String,
    /// `completed`, `partial_failure` or `failed`.
    pub status: String,
    pub team_results: String,
    pub total_teams: u32,
    pub best_team_id: Option<String>,
    pub best_score: Option<f64>,
    pub total_execution_time_seconds: f64,
    pub completed_at: u64,
    pub created_at: u64,
}
