//! The summary in the format of `mixseek exec`, for programs that read it.

use kumite_core::contest::board::winner;
use kumite_core::contest::{Contest, Fate, Round};
use kumite_project::clock::rfc3339;
use serde_json::{Value, json};

use crate::home::{Charter, Home};
use crate::project::Projection;

pub fn mixseek(home: &Home, charter: &Charter, contest: &Contest) -> Value {
    let results = Projection {
        home,
        charter,
        contest,
    }
    .results();
    let best = winner(contest).map(|team| &contest.teams[team as usize]);
    let failed = contest
        .teams
        .iter()
        .filter(|team| team.fate() != Some(Fate::Done));
    let failed_info: Vec<Value> = failed
        .clone()
        .map(|team| {
            let exit = team.exit();
            let reason = exit.map(|exit| exit.reason.name());
            let message = exit.and_then(|exit| exit.message.clone());
            json!({
                "team_id": team.id,
                "team_name": team.name,
                "error_message": message.or(reason.map(str::to_owned)),
            })
        })
        .collect();
    let partial: Vec<&str> = failed
        .filter(|team| team.best().is_some())
        .map(|team| team.id.as_str())
        .collect();
    json!({
        "execution_id": charter.id,
        "user_prompt": charter.plan.task,
        "completed_teams": results.len(),
        "team_results": results,
        "best_team_id": best.map(|team| team.id.clone()),
        "best_score": best
            .and_then(|team| team.best())
            .and_then(Round::score)
            .map(|score| score.as_f64()),
        "total_execution_time_seconds": contest.elapsed_ms as f64 / 1000.0,
        "failed_teams": failed_info.len(),
        "failed_teams_info": failed_info,
        "created_at": rfc3339(charter.created_ms),
        "total_teams": contest.teams.len(),
        "partial_teams": partial.len(),
        "partial_team_ids": partial,
    })
}
