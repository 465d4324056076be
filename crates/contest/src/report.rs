//! Contests for readers: from their journal, or from the rows of a database that another program
//! wrote.

use std::path::{Path, PathBuf};

use kumite_core::contest::board::{TeamResult, ranked};
use kumite_core::contest::{Contest, Reason, Round, Score, Verdict};
use kumite_project::clock::rfc3339;
use kumite_project::journal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::home::{self, Charter, Home};
use crate::view::{self, Board, BoardLine, ContestState, TeamState};
use crate::{board, files};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Home(#[from] home::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Board(#[from] board::Error),
    #[error("cannot read the answer of kumite-board: {0}")]
    Answer(#[from] serde_json::Error),
}

/// One contest of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub id: String,
    /// RFC 3339.
    pub created_at: String,
    /// None: only its rows are known.
    pub home: Option<Home>,
    pub database: PathBuf,
}

/// Everything about a contest.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ContestReport")]
pub struct Report {
    #[serde(flatten)]
    pub board: Board,
    pub rounds: Vec<RoundReport>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RoundReport {
    pub team_id: String,
    pub round: u32,
    pub score: Option<f64>,
    pub metrics: Vec<MetricReport>,
    /// Why the round failed, if it did.
    pub failed: Option<String>,
    pub should_continue: Option<bool>,
    pub reasoning: Option<String>,
    pub confidence_score: Option<f64>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub submission: Option<String>,
    pub submission_format: Option<String>,
    pub prompt: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricReport {
    #[serde(rename = "metric_name")]
    pub name: String,
    pub score: f64,
    #[serde(rename = "evaluator_comment", default)]
    pub remark: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub veto: bool,
}

/// Our own contests of a workspace, newest first.
pub fn own(workspace: &Path) -> Result<Vec<Listed>, Error> {
    home::all(workspace)?.into_iter().map(listed).collect()
}

pub fn listed(home: Home) -> Result<Listed, Error> {
    let charter = home.charter()?;
    Ok(Listed {
        id: charter.id,
        created_at: rfc3339(charter.created_ms),
        home: Some(home),
        database: charter.database,
    })
}

/// Contests that exist only in a database.
pub fn others(database: &Path, own: &[Listed]) -> Result<Vec<Listed>, Error> {
    #[derive(Deserialize)]
    struct Row {
        execution_id: String,
        created_at: Option<String>,
    }
    if !database.exists() {
        return Ok(Vec::new());
    }
    let answer = board::query(database, &json!({ "contests": {} }))?;
    let rows: Vec<Row> = serde_json::from_str(&answer)?;
    let unknown = |row: &Row| own.iter().all(|known| known.id != row.execution_id);
    let listed = |row: Row| Listed {
        id: row.execution_id,
        created_at: row.created_at.unwrap_or_default(),
        home: None,
        database: database.to_owned(),
    };
    Ok(rows.into_iter().filter(unknown).map(listed).collect())
}

/// Only the board, without texts.
pub fn board_of(listed: &Listed) -> Result<Board, Error> {
    match &listed.home {
        Some(home) => {
            let (charter, contest) = replayed(home)?;
            Ok(view::board(
                &charter.id,
                &charter.plan.task,
                &contest,
                home.is_played(),
            ))
        }
        None => Ok(of_rows(listed)?.board),
    }
}

pub fn report(listed: &Listed) -> Result<Report, Error> {
    let Some(home) = &listed.home else {
        return of_rows(listed);
    };
    let (charter, contest) = replayed(home)?;
    let mut report = outline(&charter, &contest, home.is_played());
    for round in &mut report.rounds {
        let team = contest.teams.iter().position(|it| it.id == round.team_id);
        if let Some(team) = team {
            add_texts(round, &home.round(team as u32, round.round));
        }
    }
    Ok(report)
}

/// Everything in the journal: all but the texts.
pub fn outline(charter: &Charter, contest: &Contest, is_played: bool) -> Report {
    let teams = contest.teams.iter();
    let rounds = teams.flat_map(|team| {
        let rounds = team.rounds.iter();
        rounds.map(|round| of_round(contest, &team.id, round))
    });
    Report {
        board: view::board(&charter.id, &charter.plan.task, contest, is_played),
        rounds: rounds.collect(),
    }
}

fn add_texts(round: &mut RoundReport, dir: &Path) {
    round.submission = files::read_submission(dir).ok();
    round.submission_format = files::about(dir).map(|about| about.format);
    round.prompt = files::read_prompt(dir).ok();
}

pub fn replayed(home: &Home) -> Result<(Charter, Contest), Error> {
    let charter = home.charter()?;
    Ok((charter, journal::replay(home.dir(), |_, _, _| {})?))
}

fn of_round(contest: &Contest, team_id: &str, round: &Round) -> RoundReport {
    let judgment = round.judgment.as_ref();
    let failed = match &round.verdict {
        Verdict::Failed { why } => Some(why.clone()),
        Verdict::Open | Verdict::Scored { .. } => None,
    };
    RoundReport {
        team_id: team_id.to_owned(),
        round: round.number,
        score: round.score().map(|score| score.as_f64()),
        metrics: metrics_of(contest, round),
        failed,
        should_continue: judgment.map(|it| it.should_continue),
        reasoning: judgment.map(|it| it.reasoning.clone()),
        confidence_score: judgment.map(|it| it.confidence.as_f64()),
        started_at: Some(rfc3339(round.started_ms)),
        ended_at: round.ended_ms.map(rfc3339),
        submission: None,
        submission_format: None,
        prompt: None,
    }
}

/// The result of each metric, as people and mixseek's readers know it.
pub fn metrics_of(contest: &Contest, round: &Round) -> Vec<MetricReport> {
    let Verdict::Scored { measures, .. } = &round.verdict else {
        return Vec::new();
    };
    let named = contest.rules.metrics.iter().zip(measures);
    let found = named.filter_map(|(metric, measure)| {
        let measure = measure.as_ref()?;
        Some(MetricReport {
            name: metric.name.clone(),
            score: measure.score.as_f64(),
            remark: measure.remark.clone(),
            veto: measure.is_veto,
        })
    });
    found.collect()
}

/// From rows alone. What they do not contain is unknown.
fn of_rows(listed: &Listed) -> Result<Report, Error> {
    let request = json!({ "contest": { "execution_id": listed.id } });
    let rows: Value = serde_json::from_str(&board::query(&listed.database, &request)?)?;
    Ok(Rows(rows).report(&listed.id))
}

struct Rows(Value);

impl Rows {
    fn of(&self, table: &str) -> &[Value] {
        self.0[table].as_array().map_or(&[], Vec::as_slice)
    }

    fn report(&self, id: &str) -> Report {
        let mut rounds: Vec<RoundReport> = Vec::new();
        for row in self.of("rounds") {
            rounds.push(RoundReport {
                team_id: text(row, "team_id"),
                round: number(row, "round_number"),
                should_continue: row["should_continue"].as_bool(),
                reasoning: maybe(row, "reasoning"),
                confidence_score: row["confidence_score"].as_f64(),
                started_at: maybe(row, "round_started_at"),
                ended_at: maybe(row, "round_ended_at"),
                ..RoundReport::default()
            });
        }
        for row in self.of("board") {
            let (team_id, round) = (text(row, "team_id"), number(row, "round_number"));
            let known = rounds
                .iter_mut()
                .find(|it| it.team_id == team_id && it.round == round);
            let into = match known {
                Some(known) => known,
                None => {
                    rounds.push(RoundReport {
                        team_id,
                        round,
                        ..RoundReport::default()
                    });
                    let last = rounds.len() - 1;
                    &mut rounds[last]
                }
            };
            into.score = row["score"].as_f64().map(hundredths);
            into.submission = maybe(row, "submission_content");
            into.submission_format = maybe(row, "submission_format");
            into.metrics = metrics(&row["score_details"]);
        }
        let teams = self.lines(&rounds);
        let summary = &self.0["summary"];
        Report {
            board: Board {
                execution_id: id.to_owned(),
                state: ContestState::of_database(summary["status"].as_str()),
                winner: maybe(summary, "best_team_id"),
                task: text(summary, "user_prompt"),
                rounds_max: None,
                teams,
                cost_usd: 0.0,
                input_tokens: 0,
                output_tokens: 0,
                elapsed_seconds: summary["total_execution_time_seconds"]
                    .as_f64()
                    .unwrap_or(0.0),
                unsaved: None,
            },
            rounds,
        }
    }

    fn lines(&self, rounds: &[RoundReport]) -> Vec<BoardLine> {
        let mut lines: Vec<BoardLine> = Vec::new();
        for row in self
            .of("teams")
            .iter()
            .chain(self.of("board"))
            .chain(self.of("rounds"))
        {
            let team_id = text(row, "team_id");
            if lines.iter().all(|line| line.team_id != team_id) {
                lines.push(self.line(row, &team_id, rounds));
            }
        }
        let result = |line: &BoardLine| TeamResult {
            is_disqualified: line.state == TeamState::Disqualified,
            score: line.score.and_then(Score::from_f64),
        };
        let results: Vec<TeamResult> = lines.iter().map(result).collect();
        // The order of the teams' first rows replaces that of the settings.
        let places = ranked(&results).into_iter();
        places
            .map(|(index, rank)| BoardLine {
                rank,
                ..lines[index].clone()
            })
            .collect()
    }

    fn line(&self, row: &Value, team_id: &str, rounds: &[RoundReport]) -> BoardLine {
        let own = rounds.iter().filter(|it| it.team_id == team_id);
        let best = own
            .clone()
            .filter(|it| it.score.is_some())
            .max_by_key(|it| (cents(it.score), it.round));
        let status = self.of("teams").iter().find(|it| it["team_id"] == team_id);
        let mut finals = self.of("board").iter();
        let last = finals.find(|it| it["team_id"] == team_id && it["final_submission"] == true);
        let state = match (status, last) {
            (Some(status), _) => {
                serde_json::from_value(status["state"].clone()).unwrap_or(TeamState::Failed)
            }
            // A team that mixseek calls partial did not finish.
            (None, Some(row)) => match text(row, "exit_reason").as_str() {
                "" => TeamState::Done,
                word => {
                    Reason::from_name(word).map_or(TeamState::Failed, |reason| reason.fate().into())
                }
            },
            (None, None) => TeamState::Failed,
        };
        BoardLine {
            team_id: team_id.to_owned(),
            team_name: text(row, "team_name"),
            rank: None,
            score: best.and_then(|it| it.score),
            round: best.map(|it| it.round),
            rounds: u32::try_from(own.clone().count()).unwrap_or(u32::MAX),
            state,
            exit_reason: status
                .and_then(|it| maybe(it, "exit_reason"))
                .or_else(|| last.and_then(|it| maybe(it, "exit_reason"))),
            message: status.and_then(|it| maybe(it, "message")),
            doing: None,
            current_round: own.clone().map(|it| it.round).max().unwrap_or(0),
            scores: own.map(|it| it.score).collect(),
            cost_usd: 0.0,
            seconds: 0.0,
        }
    }
}

fn cents(score: Option<f64>) -> Option<i64> {
    score.map(|score| (score * 100.0).round() as i64)
}

/// Scores in old databases are 32-bit floats: 78.67 is read as 78.66999816894531.
fn hundredths(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// A JSON column comes as text or as JSON.
fn metrics(details: &Value) -> Vec<MetricReport> {
    let parsed = match details {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    serde_json::from_value(parsed["metrics"].clone()).unwrap_or_default()
}

fn text(row: &Value, key: &str) -> String {
    maybe(row, key).unwrap_or_default()
}

fn maybe(row: &Value, key: &str) -> Option<String> {
    row[key].as_str().map(str::to_owned)
}

fn number(row: &Value, key: &str) -> u32 {
    row[key]
        .as_u64()
        .and_then(|it| u32::try_from(it).ok())
        .unwrap_or(0)
}
