//! Rows into their tables. Writing one again replaces it; when it was made, and its id, stay.
//!
//! All rows of a table go to DuckDB as one JSON text: an INSERT takes those that are new, an UPDATE
//! the others. A statement costs DuckDB about a millisecond, a further row in it next to nothing, and
//! `ON CONFLICT` would use up an id for every repetition.

use std::collections::{BTreeMap, HashSet};

use duckdb::Connection;
use kumite_core::contest::rows::{Place, Row};

use Kept::{Never, Old, Unless};

struct Table {
    name: &'static str,
    key: &'static [&'static str],
    /// With the key.
    columns: &'static [(&'static str, &'static str, Kept)],
}

/// Whether a row that is written again keeps what it had.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Never,
    Old,
    /// Unless the new one has a value.
    Unless,
}

const ROUND: &[&str] = &["execution_id", "team_id", "round_number"];

const ROUND_STATUS: Table = Table {
    name: "round_status",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Old),
        ("team_id", "VARCHAR", Old),
        ("team_name", "VARCHAR", Never),
        ("round_number", "INTEGER", Old),
        ("should_continue", "BOOLEAN", Never),
        ("reasoning", "VARCHAR", Never),
        ("confidence_score", "DOUBLE", Never),
        ("round_started_at", "TIMESTAMP", Unless),
        ("round_ended_at", "TIMESTAMP", Never),
        ("created_at", "TIMESTAMP", Old),
        ("updated_at", "TIMESTAMP", Never),
    ],
};

const LEADER_BOARD: Table = Table {
    name: "leader_board",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Old),
        ("team_id", "VARCHAR", Old),
        ("team_name", "VARCHAR", Never),
        ("round_number", "INTEGER", Old),
        ("submission_content", "VARCHAR", Never),
        ("submission_format", "VARCHAR", Never),
        ("score", "DOUBLE", Never),
        ("score_details", "JSON", Never),
        ("final_submission", "BOOLEAN", Never),
        ("exit_reason", "VARCHAR", Never),
        ("created_at", "TIMESTAMP", Old),
        ("updated_at", "TIMESTAMP", Never),
    ],
};

const ROUND_HISTORY: Table = Table {
    name: "round_history",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Old),
        ("team_id", "VARCHAR", Old),
        ("team_name", "VARCHAR", Never),
        ("round_number", "INTEGER", Old),
        ("message_history", "JSON", Never),
        ("member_submissions_record", "JSON", Never),
        ("created_at", "TIMESTAMP", Old),
    ],
};

const TEAM_STATUS: Table = Table {
    name: "team_status",
    key: &["execution_id", "team_id"],
    columns: &[
        ("execution_id", "VARCHAR", Old),
        ("team_id", "VARCHAR", Old),
        ("team_name", "VARCHAR", Never),
        ("position", "INTEGER", Never),
        ("state", "VARCHAR", Never),
        ("exit_reason", "VARCHAR", Never),
        ("message", "VARCHAR", Never),
        ("updated_at", "TIMESTAMP", Never),
    ],
};

const EXECUTION_SUMMARY: Table = Table {
    name: "execution_summary",
    key: &["execution_id"],
    columns: &[
        ("execution_id", "VARCHAR", Old),
        ("user_prompt", "VARCHAR", Never),
        ("status", "VARCHAR", Never),
        ("team_results", "JSON", Never),
        ("total_teams", "INTEGER", Never),
        ("best_team_id", "VARCHAR", Never),
        ("best_score", "DOUBLE", Never),
        ("total_execution_time_seconds", "DOUBLE", Never),
        ("completed_at", "TIMESTAMP", Never),
        ("created_at", "TIMESTAMP", Old),
    ],
};

/// Within the caller's transaction.
pub fn upsert<'a>(
    connection: &Connection,
    rows: impl IntoIterator<Item = &'a Row>,
) -> duckdb::Result<()> {
    let mut tables: BTreeMap<&str, (&Table, HashSet<Key<'_>>, Vec<&Row>)> = BTreeMap::new();
    for row in rows {
        let (table, key) = place(row);
        let entry = tables.entry(table.name);
        let (_, keys, waiting) = entry.or_insert((table, HashSet::new(), Vec::new()));
        // One statement takes a row once.
        if !keys.insert(key) {
            put(connection, table, waiting)?;
            waiting.clear();
            keys.clear();
            keys.insert(key);
        }
        waiting.push(row);
    }
    tables
        .into_values()
        .try_for_each(|(table, _, waiting)| put(connection, table, &waiting))
}

type Key<'a> = (&'a str, &'a str, u32);

fn place(row: &Row) -> (&'static Table, Key<'_>) {
    match row {
        Row::RoundStatus(row) => (&ROUND_STATUS, of_round(&row.place)),
        Row::LeaderBoard(row) => (&LEADER_BOARD, of_round(&row.place)),
        Row::RoundHistory(row) => (&ROUND_HISTORY, of_round(&row.place)),
        Row::TeamStatus(row) => (&TEAM_STATUS, (&row.execution_id, &row.team_id, 0)),
        Row::ExecutionSummary(row) => (&EXECUTION_SUMMARY, (&row.execution_id, "", 0)),
    }
}

fn of_round(place: &Place) -> Key<'_> {
    (&place.execution_id, &place.team_id, place.round_number)
}

fn put(connection: &Connection, table: &Table, rows: &[&Row]) -> duckdb::Result<()> {
    let text = serde_json::to_string(rows)
        .map_err(|error| duckdb::Error::ToSqlConversionFailure(error.into()))?;
    let inserted = connection.prepare_cached(&table.insert())?.execute([&text])?;
    if inserted < rows.len() {
        connection.prepare_cached(&table.update())?.execute([&text])?;
    }
    Ok(())
}

impl Table {
    fn update(&self) -> String {
        let name = self.name;
        let sets = self.columns.iter().filter_map(|(column, _, kept)| match kept {
            Old => None,
            Never => Some(format!("{column} = new.{column}")),
            Unless => Some(format!("{column} = coalesce(new.{column}, old.{column})")),
        });
        let sets: Vec<String> = sets.collect();
        let same = self.key.iter().map(|column| format!("old.{column} = new.{column}"));
        let same: Vec<String> = same.collect();
        format!(
            "UPDATE {name} AS old SET {} FROM {} WHERE {}",
            sets.join(", "),
            self.given(),
            same.join(" AND ")
        )
    }

    fn insert(&self) -> String {
        let name = self.name;
        let columns: Vec<&str> = self.columns.iter().map(|(column, ..)| *column).collect();
        let columns = columns.join(", ");
        let key = self.key.join(", ");
        format!(
            "INSERT INTO {name} ({columns}) SELECT {columns} FROM {} ANTI JOIN {name} USING ({key})",
            self.given()
        )
    }

    /// The rows of the JSON text, with the types of the table.
    fn given(&self) -> String {
        let (mut read, mut typed) = (Vec::new(), Vec::new());
        for (column, kind, _) in self.columns {
            let (as_read, value) = match *kind {
                "TIMESTAMP" => ("BIGINT", format!("make_timestamp({column} * 1000)")),
                "JSON" => ("VARCHAR", format!("{column}::JSON")),
                kind => (kind, (*column).to_owned()),
            };
            read.push(format!("\"{column}\":\"{as_read}\""));
            typed.push(format!("{value} AS {column}"));
        }
        format!(
            "(SELECT {} FROM (SELECT unnest(row) FROM \
             (SELECT unnest(from_json($1::VARCHAR, '[{{{}}}]')) AS row))) AS new",
            typed.join(", "),
            read.join(",")
        )
    }
}
