//! The contest as rows of the database, made from the state and from the files beside the journal.
//! They can be made again at any time.

use std::path::Path;

use kumite_core::contest::board::{Success, standings, success, winner};
use kumite_core::contest::rows::{
    ExecutionSummary, LeaderBoard, RoundHistory, RoundKey, RoundStatus, Row, TeamStatus, Write,
};
use kumite_core::contest::{Contest, Round, Team};
use kumite_project::clock::rfc3339;
use serde_json::{Value, json};

use crate::files;
use crate::home::{Charter, Home};
use crate::report::metrics_of;

pub struct Projection<'a> {
    pub home: &'a Home,
    pub charter: &'a Charter,
    pub contest: &'a Contest,
}

impl Projection<'_> {
    /// D7: the round begins.
    pub fn begin(&self, team: u32, round: u32) -> Write {
        let of = &self.contest.teams[team as usize];
        let rows = of.rounds.iter().filter(|it| it.number == round);
        let mut rows: Vec<Row> = rows.map(|it| self.status(of, it)).collect();
        rows.push(self.team(team));
        Write { rows }
    }

    /// All rows of a team that the database does not have yet.
    pub fn save(&self, team: u32) -> Write {
        let of = &self.contest.teams[team as usize];
        let best = of.leaving().and_then(|_| of.best()).map(|it| it.number);
        let mut rows = Vec::new();
        for round in &of.rounds {
            if round.number > of.saved {
                rows.push(self.status(of, round));
                rows.extend(self.history(team, of, round));
            }
            if round.number > of.saved || Some(round.number) == best {
                rows.extend(self.board(team, of, round));
            }
        }
        rows.push(self.team(team));
        Write { rows }
    }

    /// At the end: the missing rows of every team, and the summary.
    pub fn summary(&self) -> Write {
        let teams = 0..self.contest.teams.len() as u32;
        let mut rows: Vec<Row> = teams.flat_map(|team| self.save(team).rows).collect();
        rows.push(Row::ExecutionSummary(ExecutionSummary {
            execution_id: self.charter.id.clone(),
            user_prompt: self.charter.plan.task.clone(),
            status: status(self.contest).to_owned(),
            team_results: Value::Array(self.results()).to_string(),
            total_teams: self.contest.teams.len() as u32,
            best_team_id: winner(self.contest)
                .map(|team| self.contest.teams[team as usize].id.clone()),
            best_score: winner(self.contest)
                .and_then(|team| self.contest.teams[team as usize].best())
                .and_then(Round::score)
                .map(|score| score.as_f64()),
            total_execution_time_seconds: self.contest.elapsed_ms as f64 / 1000.0,
            completed_at: self.contest.now_ms,
            created_at: self.contest.now_ms,
        }));
        Write { rows }
    }

    /// The board entries of all teams with a score, best first.
    pub fn results(&self) -> Vec<Value> {
        let lines = standings(self.contest);
        let entries = lines.iter().filter_map(|line| {
            let of = &self.contest.teams[line.team as usize];
            self.entry(line.team, of, of.best()?)
        });
        entries.map(|entry| as_result(&entry)).collect()
    }

    fn place(&self, team: &Team, round: &Round) -> RoundKey {
        RoundKey {
            execution_id: self.charter.id.clone(),
            team_id: team.id.clone(),
            team_name: team.name.clone(),
            round_number: round.number,
        }
    }

    fn status(&self, team: &Team, round: &Round) -> Row {
        let judgment = round.judgment.as_ref();
        Row::RoundStatus(RoundStatus {
            place: self.place(team, round),
            should_continue: judgment.map(|it| it.should_continue),
            reasoning: judgment.map(|it| it.reasoning.clone()),
            confidence_score: judgment.map(|it| it.confidence.as_f64()),
            round_started_at: Some(round.started_ms),
            round_ended_at: round.ended_ms,
            created_at: round.started_ms,
            updated_at: round.ended_ms.unwrap_or(round.started_ms),
        })
    }

    fn board(&self, index: u32, team: &Team, round: &Round) -> Option<Row> {
        self.entry(index, team, round).map(Row::LeaderBoard)
    }

    /// D5: the best round is final as soon as the team leaves, and has the reason of the exit.
    fn entry(&self, index: u32, team: &Team, round: &Round) -> Option<LeaderBoard> {
        let score = round.score()?;
        let dir = self.home.round(index, round.number);
        let about = files::about(&dir);
        let best = team.best().map(|best| best.number) == Some(round.number);
        let exit = team.leaving().filter(|_| best);
        let at = round.ended_ms.unwrap_or(round.started_ms);
        Some(LeaderBoard {
            place: self.place(team, round),
            submission_content: read(&dir),
            submission_format: about.map_or_else(|| "md".to_owned(), |about| about.format),
            score: score.as_f64(),
            score_details: self.details(round).to_string(),
            final_submission: exit.is_some(),
            exit_reason: exit.map(|exit| exit.reason.name().to_owned()),
            created_at: at,
            updated_at: at,
        })
    }

    /// In the format that mixseek's readers know.
    fn details(&self, round: &Round) -> Value {
        match round.score() {
            Some(score) => json!({
                "overall_score": score.as_f64(),
                "metrics": metrics_of(self.contest, round),
            }),
            None => Value::Null,
        }
    }

    fn history(&self, index: u32, team: &Team, round: &Round) -> Option<Row> {
        let about = files::about(&self.home.round(index, round.number))?;
        let members = about.members.as_array().cloned().unwrap_or_default();
        let is_good = |member: &&Value| member["status"] == "SUCCESS";
        let good: Vec<&Value> = members.iter().filter(is_good).collect();
        let bad: Vec<&Value> = members.iter().filter(|it| !is_good(it)).collect();
        let sum = |key: &str| -> u64 {
            let counts = members.iter().filter_map(|it| it["usage"][key].as_u64());
            counts.sum()
        };
        let record = json!({
            "execution_id": self.charter.id,
            "team_id": team.id,
            "team_name": team.name,
            "round_number": round.number,
            "submissions": members,
            "successful_submissions": good,
            "failed_submissions": bad,
            "total_count": members.len(),
            "success_count": good.len(),
            "failure_count": bad.len(),
            "total_usage": {
                "input_tokens": sum("input_tokens"),
                "output_tokens": sum("output_tokens"),
                "requests": sum("requests"),
            },
        });
        Some(Row::RoundHistory(RoundHistory {
            place: self.place(team, round),
            message_history: about.messages.to_string(),
            member_submissions_record: record.to_string(),
            created_at: round.ended_ms.unwrap_or(round.started_ms),
        }))
    }

    fn team(&self, index: u32) -> Row {
        let team = &self.contest.teams[index as usize];
        let exit = team.leaving();
        Row::TeamStatus(TeamStatus {
            execution_id: self.charter.id.clone(),
            team_id: team.id.clone(),
            team_name: team.name.clone(),
            position: index,
            state: exit
                .map_or("working", |exit| exit.reason.fate().name())
                .to_owned(),
            exit_reason: exit.map(|exit| exit.reason.name().to_owned()),
            message: exit.and_then(|exit| exit.message.clone()),
            updated_at: self.contest.now_ms,
        })
    }
}

/// The word of `execution_summary`.
pub fn status(contest: &Contest) -> &'static str {
    match success(contest) {
        // A cancelled contest has no winner.
        _ if contest.is_cancelled => "failed",
        Success::All => "completed",
        Success::Some => "partial_failure",
        Success::None => "failed",
    }
}

fn as_result(entry: &LeaderBoard) -> Value {
    let details: Value = serde_json::from_str(&entry.score_details).unwrap_or_default();
    json!({
        "id": null,
        "execution_id": entry.place.execution_id,
        "team_id": entry.place.team_id,
        "team_name": entry.place.team_name,
        "round_number": entry.place.round_number,
        "submission_content": entry.submission_content,
        "submission_format": entry.submission_format,
        "score": entry.score,
        "score_details": details,
        "final_submission": entry.final_submission,
        "exit_reason": entry.exit_reason,
        "created_at": rfc3339(entry.created_at),
        "updated_at": rfc3339(entry.updated_at),
    })
}

/// If the file of a submission is gone, the text says so: its score is in the journal.
fn read(dir: &Path) -> String {
    files::read_submission(dir)
        .unwrap_or_else(|error| format!("(the file of this submission cannot be read: {error})"))
}
