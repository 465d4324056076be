//! `kumite-board query`: one question, one answer. The file is only read.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use duckdb::{AccessMode, Connection, params};
use kumite_core::contest::Score;
use kumite_core::contest::board::{TeamResult, ranked};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Error, Kind};
use crate::open::{absolute, connect, patiently};
use crate::show::{Table, csv, lines, markdown, object_lines, objects};
use crate::ticket::{self, For};
use crate::value::table;

/// A running contest releases the file several times per second.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Nobody can write while we read, and a team whose rounds cannot be saved is out after 7 seconds.
const SQL_TIME_MAX: Duration = Duration::from_secs(5);

/// The possible questions.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Sql(String),
    Export(Form),
    Contests {},
    Contest { execution_id: String },
    Counts { execution_id: String },
}

#[derive(Deserialize)]
struct Question {
    #[serde(flatten)]
    ask: Ask,
    /// The format of an answer to SQL.
    #[serde(default)]
    format: Form,
    /// The target of an export; stdout if None.
    #[serde(default)]
    to: Option<PathBuf>,
    #[serde(default)]
    execution_id: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    #[default]
    Json,
    /// One object per line.
    Jsonl,
    Csv,
    Md,
    Table,
    Parquet,
}

/// Answers the question as text.
pub fn answer(db: &Path, question: &str) -> Result<String, Error> {
    let Question {
        ask,
        format,
        to,
        execution_id,
    } = serde_json::from_str(question)
        .map_err(|error| Error::new(Kind::Other, format!("cannot read the question: {error}")))?;
    let db = absolute(db)?;
    if !db.exists() {
        let message = format!("there is no database {}", db.display());
        return Err(Error::new(Kind::Other, message));
    }
    let _ticket = ticket::take(&db, For::Reading)?;
    let reader = Reader {
        connection: patiently(LOCK_WAIT, || connect(&db, AccessMode::ReadOnly, None))?,
        db,
    };
    match ask {
        Ask::Sql(sql) => reader.sql(&sql, format),
        Ask::Export(form) => reader.export(form, to.as_deref(), execution_id.as_deref()),
        Ask::Contests {} => reader.contests(),
        Ask::Contest { execution_id } => reader.contest(&execution_id),
        Ask::Counts { execution_id } => reader.counts(&execution_id),
    }
}

struct Reader {
    connection: Connection,
    db: PathBuf,
}

impl Reader {
    /// Runs a statement of the user: it cannot write, and can read only this database.
    fn sql(&self, sql: &str, format: Form) -> Result<String, Error> {
        self.told(
            self.connection.execute_batch(
                "SET enable_external_access = false; SET lock_configuration = true;",
            ),
        )?;
        let clock = self.connection.interrupt_handle();
        let ring = move || {
            thread::sleep(SQL_TIME_MAX);
            clock.interrupt();
        };
        thread::Builder::new().spawn(ring).map_err(|error| {
            let message = format!("a question needs a thread for its time limit: {error}");
            Error::new(Kind::Other, message)
        })?;
        let found = table(&self.connection, sql, params![]);
        let found = found.map_err(|error| {
            let said = match error.to_string() {
                said if said.contains("INTERRUPT Error") => format!(
                    "it took longer than {} s, and nobody can write meanwhile; ask a copy of the file",
                    SQL_TIME_MAX.as_secs()
                ),
                said if said.contains("Unknown error code") => "there is no statement".to_owned(),
                said => said,
            };
            let message = format!("the database cannot answer that: {said}");
            Error::new(Kind::Other, message)
        })?;
        match format {
            Form::Json => Ok(objects(&found).to_string()),
            Form::Jsonl => Ok(object_lines(&found)),
            Form::Csv => Ok(csv(&found)),
            Form::Md => Ok(markdown(&found)),
            Form::Table => Ok(lines(&found)),
            Form::Parquet => {
                let message = "Parquet is a file: use an export";
                Err(Error::new(Kind::Other, message))
            }
        }
    }

    fn export(&self, form: Form, to: Option<&Path>, id: Option<&str>) -> Result<String, Error> {
        let sql = self.all_rounds()?;
        if let Form::Parquet = form {
            let Some(to) = to else {
                let message = "an export to Parquet needs a file";
                return Err(Error::new(Kind::Other, message));
            };
            let id = id.map_or("NULL".to_owned(), quoted);
            // The last `?` is the parameter: names of teams come before it, and may contain one
            // too.
            let (before, after) = sql.rsplit_once('?').unwrap_or((&sql, ""));
            let sql = format!("{before}{id}{after}");
            let to = quoted(&to.display().to_string());
            let copy = format!("COPY ({sql}) TO {to} (FORMAT parquet)");
            self.told(self.connection.execute_batch(&copy))?;
            return Ok(String::new());
        }
        let found = self.rows(&sql, id)?;
        let text = match form {
            Form::Csv => csv(&found),
            Form::Md => markdown(&found),
            Form::Json => objects(&found).to_string(),
            Form::Jsonl => object_lines(&found),
            Form::Table | Form::Parquet => lines(&found),
        };
        let Some(to) = to else {
            return Ok(text);
        };
        let written = fs::File::create(to).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error: io::Error| {
            let message = format!("cannot write {}: {error}", to.display());
            Error::new(Kind::Other, message)
        })?;
        Ok(String::new())
    }

    /// Every scored round with the rank of its team. One parameter: a contest, or NULL for all.
    fn all_rounds(&self) -> Result<String, Error> {
        let ranks = self.ranks()?;
        Ok(format!(
            "WITH ranks AS ({ranks})
             SELECT b.execution_id, r.rank, b.team_id, b.team_name, b.round_number, b.score,
                b.final_submission, b.exit_reason, b.created_at, b.updated_at,
                b.submission_format, b.submission_content
             FROM leader_board b LEFT JOIN ranks r
                ON r.execution_id = CAST(b.execution_id AS VARCHAR) AND r.team_id = b.team_id
             WHERE b.execution_id = coalesce(?, b.execution_id)
             ORDER BY b.execution_id DESC, r.rank NULLS LAST, b.team_id, b.round_number"
        ))
    }

    /// The ranks of all teams as a query without a table: the ranking is the core's, as everywhere.
    fn ranks(&self) -> Result<String, Error> {
        let out = match self.has("team_status")? {
            true => "SELECT execution_id, team_id FROM team_status WHERE state = 'disqualified'",
            false => "SELECT NULL AS execution_id, NULL AS team_id WHERE FALSE",
        };
        let best = format!(
            "WITH out AS ({out})
             SELECT CAST(b.execution_id AS VARCHAR), b.team_id, CAST(max(b.score) AS DOUBLE)
             FROM leader_board b ANTI JOIN out USING (execution_id, team_id)
             GROUP BY b.execution_id, b.team_id"
        );
        let found = self.connection.prepare(&best).and_then(|mut statement| {
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect::<Result<Vec<(String, String, Option<f64>)>, _>>()
        });
        let mut contests: BTreeMap<String, Vec<(String, TeamResult)>> = BTreeMap::new();
        for (contest, team, score) in self.told(found)? {
            let result = TeamResult {
                is_disqualified: false,
                score: score.and_then(Score::from_f64),
            };
            contests.entry(contest).or_default().push((team, result));
        }
        let mut rows = Vec::new();
        for (contest, teams) in &contests {
            let results: Vec<TeamResult> = teams.iter().map(|(_, result)| *result).collect();
            for (index, rank) in ranked(&results) {
                let (contest, team) = (quoted(contest), quoted(&teams[index].0));
                let rank = rank.map_or("NULL".to_owned(), |rank| rank.to_string());
                rows.push(format!("({contest}, {team}, CAST({rank} AS BIGINT))"));
            }
        }
        Ok(match rows.is_empty() {
            true => {
                "SELECT NULL AS execution_id, NULL AS team_id, NULL AS rank WHERE FALSE".to_owned()
            }
            false => format!(
                "SELECT * FROM (VALUES {}) ranks(execution_id, team_id, rank)",
                rows.join(", ")
            ),
        })
    }

    /// Newest first. Contests without a summary have not ended.
    fn contests(&self) -> Result<String, Error> {
        let mut parts = Vec::new();
        if self.has("execution_summary")? {
            parts.push(
                "SELECT execution_id, status, created_at, user_prompt AS task, best_team_id,
                 total_teams AS teams FROM execution_summary",
            );
        }
        for source in ["round_status", "leader_board"] {
            if self.has(source)? {
                parts.push(match source {
                    "round_status" => UNFINISHED_ROUNDS,
                    _ => UNFINISHED_BOARD,
                });
            }
        }
        if parts.is_empty() {
            return Ok("[]".to_owned());
        }
        let sql = format!(
            "SELECT execution_id, max(status) AS status, min(created_at) AS created_at,
             max(task) AS task, max(best_team_id) AS best_team_id, max(teams) AS teams
             FROM ({}) GROUP BY execution_id ORDER BY min(created_at) DESC, execution_id DESC",
            parts.join(" UNION ALL ")
        );
        let found = self.told(table(&self.connection, &sql, params![]))?;
        Ok(objects(&found).to_string())
    }

    fn contest(&self, id: &str) -> Result<String, Error> {
        let all = |name: &str, order: &str| -> Result<Value, Error> {
            if !self.has(name)? {
                return Ok(json!([]));
            }
            let sql = format!("SELECT * FROM {name} WHERE execution_id = ? ORDER BY {order}");
            Ok(objects(&self.rows(&sql, Some(id))?))
        };
        let mut summary = all("execution_summary", "execution_id")?;
        Ok(json!({
            "summary": summary.get_mut(0).map_or(Value::Null, Value::take),
            "teams": all("team_status", "position")?,
            "rounds": all("round_status", "id")?,
            "board": all("leader_board", "id")?,
        })
        .to_string())
    }

    fn counts(&self, id: &str) -> Result<String, Error> {
        let mut counts = serde_json::Map::new();
        for name in crate::schema::TABLES.iter().map(|table| table.name) {
            let count = match self.has(name)? {
                true => {
                    let sql = format!("SELECT count(*) FROM {name} WHERE execution_id = ?");
                    let mut found = self.rows(&sql, Some(id))?;
                    found.rows.pop().and_then(|mut row| row.pop())
                }
                false => None,
            };
            counts.insert(name.to_owned(), count.unwrap_or(json!(0)));
        }
        Ok(Value::Object(counts).to_string())
    }

    fn rows(&self, sql: &str, id: Option<&str>) -> Result<Table, Error> {
        self.told(table(&self.connection, sql, params![id]))
    }

    fn has(&self, name: &str) -> Result<bool, Error> {
        let sql = "SELECT count(*) FROM duckdb_tables() WHERE table_name = ?";
        let count = self
            .connection
            .query_row(sql, params![name], |row| row.get::<_, i64>(0));
        Ok(self.told(count)? > 0)
    }

    fn told<T>(&self, result: duckdb::Result<T>) -> Result<T, Error> {
        result.map_err(|error| Error::of_duckdb(&self.db, &error))
    }
}

const UNFINISHED_ROUNDS: &str = "SELECT execution_id, NULL, min(created_at), NULL, NULL,
    count(DISTINCT team_id) FROM round_status GROUP BY execution_id";
const UNFINISHED_BOARD: &str = "SELECT execution_id, NULL, min(created_at), NULL, NULL,
    count(DISTINCT team_id) FROM leader_board GROUP BY execution_id";

/// A text as an SQL literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
