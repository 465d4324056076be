//! All contests at a glance.

use schemars::JsonSchema;
use serde::Serialize;

use crate::place::{self, Workspace};
use crate::report;
use crate::view::ContestState;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Contest")]
pub struct Brief {
    pub execution_id: String,
    /// RFC 3339.
    pub created_at: String,
    pub state: ContestState,
    pub winner: Option<String>,
    pub task: String,
    /// How many teams play.
    pub teams: usize,
    pub rounds_max: Option<u32>,
    pub cost_usd: f64,
    pub elapsed_seconds: f64,
}

/// Newest first. A damaged contest hides no other.
pub fn all(place: &Workspace) -> Result<Vec<Brief>, place::Error> {
    let mut all = Vec::new();
    for listed in place.all()? {
        match report::board_of(&listed) {
            Ok(board) => all.push(Brief {
                execution_id: board.execution_id,
                created_at: listed.created_at,
                state: board.state,
                winner: board.winner,
                task: board.task,
                teams: board.teams.len(),
                rounds_max: board.rounds_max,
                cost_usd: board.cost_usd,
                elapsed_seconds: board.elapsed_seconds,
            }),
            Err(error) => tracing::warn!("warning: contest {}: {error}", listed.id),
        }
    }
    Ok(all)
}
