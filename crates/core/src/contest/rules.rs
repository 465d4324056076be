//! The settings that decisions depend on.

use serde::{Deserialize, Serialize};

use crate::journal::LimitRules;

/// D10: no contest has more rounds than this.
pub const ROUNDS_LIMIT: u32 = 10;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    pub rounds_min: u32,
    pub rounds_max: u32,
    /// Whether the judge is also asked in the last round, where its answer changes nothing.
    pub judge_on_final_round: bool,
    /// How many teams work at the same time; if None, all of them.
    pub teams_max: Option<u32>,

    pub submission_timeout_ms: u64,
    pub judgment_timeout_ms: u64,
    /// The time limit of a team for all rounds together.
    pub team_timeout_ms: Option<u64>,
    pub contest_timeout_ms: Option<u64>,

    /// Further tries after the first.
    pub submission_retries: u32,
    pub judge_retries: u32,
    /// In the order of the settings.
    pub metrics: Vec<Metric>,

    /// No round begins once the contest has spent this, in millionths of a dollar.
    pub budget_micros: Option<u64>,
    /// The same for what was left of the day's budget when the contest began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day_micros: Option<u64>,

    /// How a usage limit of an agent is waited for.
    #[serde(default)]
    pub limit: LimitRules,
}

/// One part of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    pub name: String,
    /// In millionths. Its share of the sum counts.
    pub weight: u32,
    /// Programs are measured before the other metrics, because they cost nothing and may veto.
    pub is_program: bool,
    pub timeout_ms: u64,
    /// Further tries after the first.
    pub retries: u32,
}

impl Default for Rules {
    /// D10.
    fn default() -> Rules {
        Rules {
            rounds_min: 2,
            rounds_max: 5,
            judge_on_final_round: true,
            teams_max: None,
            submission_timeout_ms: 300_000,
            judgment_timeout_ms: 60_000,
            team_timeout_ms: None,
            contest_timeout_ms: None,
            submission_retries: 3,
            judge_retries: 3,
            metrics: Vec::new(),
            budget_micros: None,
            day_micros: None,
            limit: LimitRules::default(),
        }
    }
}
