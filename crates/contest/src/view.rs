//! A contest as people and programs see it: the board of the contract.

use kumite_core::contest::board::{Standing, standings, winner};
use kumite_core::contest::{Contest, End, Fate, Phase, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `kumite contest board --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    pub execution_id: String,
    pub state: ContestState,
    pub winner: Option<String>,
    pub task: String,
    pub rounds_max: Option<u32>,
    pub teams: Vec<BoardLine>,
    pub cost_usd: f64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub elapsed_seconds: f64,
    /// Why the database lacks the result, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardLine")]
pub struct BoardLine {
    pub team_id: String,
    pub team_name: String,
    pub rank: Option<u32>,
    /// Its best score, and the round of that score.
    pub score: Option<f64>,
    pub round: Option<u32>,
    /// How many rounds are finished.
    pub rounds: u32,
    pub state: TeamState,
    pub exit_reason: Option<String>,
    pub message: Option<String>,
    /// What it does right now: `waiting`, `submitting`, `evaluating`, `judging`, `saving`.
    pub doing: Option<String>,
    pub current_round: u32,
    pub scores: Vec<Option<f64>>,
    pub cost_usd: f64,
    pub seconds: f64,
}

kumite_core::words! {
    /// The state of a contest (contract).
    #[derive(JsonSchema)]
    #[schemars(inline)]
    pub enum ContestState: word {
        Running = "running",
        /// No process plays it, and it has not ended: it can be resumed.
        Stopped = "stopped",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

kumite_core::words! {
    /// The state of a team (contract).
    #[derive(JsonSchema)]
    #[schemars(inline)]
    pub enum TeamState: word {
        Working = "working",
        /// No process plays the contest.
        Stopped = "stopped",
        Done = "done",
        Failed = "failed",
        Disqualified = "disqualified",
    }
}

impl ContestState {
    /// The state in the database of a contest that kumite did not play.
    pub fn of_database(status: Option<&str>) -> ContestState {
        match status {
            Some("completed" | "partial_failure") => ContestState::Done,
            Some(_) => ContestState::Failed,
            None => ContestState::Stopped,
        }
    }
}

impl From<Fate> for TeamState {
    fn from(fate: Fate) -> TeamState {
        match fate {
            Fate::Done => TeamState::Done,
            Fate::Failed => TeamState::Failed,
            Fate::Disqualified => TeamState::Disqualified,
        }
    }
}

/// The board of one of our contests. `is_played`: a process plays it.
pub fn board(id: &str, task: &str, contest: &Contest, is_played: bool) -> Board {
    let used = contest.used();
    let lines = standings(contest);
    Board {
        execution_id: id.to_owned(),
        state: state(contest, is_played),
        winner: winner(contest).map(|team| contest.teams[team as usize].id.clone()),
        task: task.to_owned(),
        rounds_max: Some(contest.rules.rounds_max),
        teams: lines
            .iter()
            .map(|it| line(contest, it, is_played))
            .collect(),
        cost_usd: used.micros as f64 / 1e6,
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
        elapsed_seconds: contest.elapsed_ms as f64 / 1000.0,
        unsaved: unsaved(contest),
    }
}

/// A contest that nobody plays and that has not ended is not running: it can be resumed.
pub fn state(contest: &Contest, is_played: bool) -> ContestState {
    match (contest.end(), is_played) {
        (Some(End::Done), _) => ContestState::Done,
        (Some(End::Failed), _) => ContestState::Failed,
        (Some(End::Cancelled), _) => ContestState::Cancelled,
        (None, true) => ContestState::Running,
        (None, false) => ContestState::Stopped,
    }
}

pub fn unsaved(contest: &Contest) -> Option<String> {
    use kumite_core::contest::Ending;
    match &contest.stage {
        Stage::Ended(Ending::Unsaved { why }) => Some(why.clone()),
        _ => None,
    }
}

fn line(contest: &Contest, standing: &Standing, is_played: bool) -> BoardLine {
    let team = &contest.teams[standing.team as usize];
    let exit = team.exit();
    BoardLine {
        team_id: team.id.clone(),
        team_name: team.name.clone(),
        rank: standing.rank,
        score: standing.best.map(|(score, _)| score.as_f64()),
        round: standing.best.map(|(_, round)| round),
        rounds: standing.rounds,
        state: match (exit, is_played) {
            (Some(exit), _) => exit.reason.fate().into(),
            (None, true) => TeamState::Working,
            (None, false) => TeamState::Stopped,
        },
        exit_reason: exit.map(|exit| exit.reason.name().to_owned()),
        message: exit.and_then(|exit| exit.message.clone()),
        doing: doing(&team.phase).filter(|_| is_played).map(str::to_owned),
        current_round: team.round(),
        scores: team
            .finished()
            .map(|round| round.score().map(|score| score.as_f64()))
            .collect(),
        cost_usd: team.used.micros as f64 / 1e6,
        seconds: team.used_ms as f64 / 1000.0,
    }
}

pub fn doing(phase: &Phase) -> Option<&'static str> {
    match phase {
        Phase::Queued => Some("waiting"),
        Phase::Submitting { .. } => Some("submitting"),
        Phase::Measuring { .. } => Some("evaluating"),
        Phase::Judging { .. } => Some("judging"),
        Phase::Saving { .. } => Some("saving"),
        Phase::Out(_) => None,
    }
}
