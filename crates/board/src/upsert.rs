//! Writes rows into their tables. Writing a row again replaces it, but keeps its id and creation
//! time.
//!
//! All rows of a table go to DuckDB as one JSON text: an INSERT takes the new rows, an UPDATE the
//! others. A statement costs DuckDB about a millisecond, and each further row almost nothing;
//! `ON CONFLICT` would use up an id for every repetition.

use std::collections::{BTreeMap, HashSet};

use duckdb::Connection;
use kumite_core::contest::rows::{Place, Row};

use Again::{Changed, Given, Kept, Replaced};

struct Table {
    name: &'static str,
    key: &'static [&'static str],
    /// Includes the key.
    columns: &'static [(&'static str, &'static str, Again)],
}

/// What happens to a column when the row is written again.
#[derive(Clone, Copy, PartialEq)]
enum Again {
    Kept,
    Replaced,
    /// Replaced if the new row has a value.
    Given,
    /// Replaced only if it differs. The column is part of an index: DuckDB would remove the row
    /// from the index and add it again, which always fails if the index is damaged (see `open.rs`).
    Changed,
}

const ROUND: &[&str] = &["execution_id", "team_id", "round_number"];

const ROUND_STATUS: Table = Table {
    name: "round_status",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Kept),
        ("team_id", "VARCHAR", Kept),
        ("team_name", "VARCHAR", Replaced),
        ("round_number", "INTEGER", Kept),
        ("should_continue", "BOOLEAN", Replaced),
        ("reasoning", "VARCHAR", Replaced),
        ("confidence_score", "DOUBLE", Replaced),
        ("round_started_at", "TIMESTAMP", Given),
        ("round_ended_at", "TIMESTAMP", Replaced),
        ("created_at", "TIMESTAMP", Kept),
        ("updated_at", "TIMESTAMP", Replaced),
    ],
};

const LEADER_BOARD: Table = Table {
    name: "leader_board",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Kept),
        ("team_id", "VARCHAR", Kept),
        ("team_name", "VARCHAR", Replaced),
        ("round_number", "INTEGER", Kept),
        ("submission_content", "VARCHAR", Replaced),
        ("submission_format", "VARCHAR", Replaced),
        ("score", "DOUBLE", Changed),
        ("score_details", "JSON", Replaced),
        ("final_submission", "BOOLEAN", Replaced),
        ("exit_reason", "VARCHAR", Replaced),
        ("created_at", "TIMESTAMP", Kept),
        ("updated_at", "TIMESTAMP", Replaced),
    ],
};

const ROUND_HISTORY: Table = Table {
    name: "round_history",
    key: ROUND,
    columns: &[
        ("execution_id", "VARCHAR", Kept),
        ("team_id", "VARCHAR", Kept),
        ("team_name", "VARCHAR", Replaced),
        ("round_number", "INTEGER", Kept),
        ("message_history", "JSON", Replaced),
        ("member_submissions_record", "JSON", Replaced),
        ("created_at", "TIMESTAMP", Kept),
    ],
};

const TEAM_STATUS: Table = Table {
    name: "team_status",
    key: &["execution_id", "team_id"],
    columns: &[
        ("execution_id", "VARCHAR", Kept),
        ("team_id", "VARCHAR", Kept),
        ("team_name", "VARCHAR", Replaced),
        ("position", "INTEGER", Replaced),
        ("state", "VARCHAR", Replaced),
        ("exit_reason", "VARCHAR", Replaced),
        ("message", "VARCHAR", Replaced),
        ("updated_at", "TIMESTAMP", Replaced),
    ],
};

const EXECUTION_SUMMARY: Table = Table {
    name: "execution_summary",
    key: &["execution_id"],
    columns: &[
        ("execution_id", "VARCHAR", Kept),
        ("user_prompt", "VARCHAR", Replaced),
        ("status", "VARCHAR", Changed),
        ("team_results", "JSON", Replaced),
        ("total_teams", "INTEGER", Replaced),
        ("best_team_id", "VARCHAR", Replaced),
        ("best_score", "DOUBLE", Replaced),
        ("total_execution_time_seconds", "DOUBLE", Replaced),
        ("completed_at", "TIMESTAMP", Changed),
        ("created_at", "TIMESTAMP", Kept),
    ],
};

/// Runs in the caller's transaction.
pub fn upsert<'a>(
    connection: &Connection,
    rows: impl IntoIterator<Item = &'a Row>,
) -> duckdb::Result<()> {
    let mut tables: BTreeMap<&str, (&Table, HashSet<Key<'_>>, Vec<&Row>)> = BTreeMap::new();
    for row in rows {
        let (table, key) = place(row);
        let entry = tables.entry(table.name);
        let (_, keys, waiting) = entry.or_insert((table, HashSet::new(), Vec::new()));
        // One statement can contain each row only once.
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
    let run = |sql: &str| connection.prepare_cached(sql)?.execute([&text]);
    let insert = || run(&table.insert());
    let update = || -> duckdb::Result<usize> {
        let counts = table
            .updates()
            .iter()
            .map(|sql| run(sql))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(counts.first().copied().unwrap_or(0))
    };
    // Usually one of the two statements is enough.
    match rows.iter().any(|row| comes_again(row)) {
        true if update()? < rows.len() => insert()?,
        false if insert()? < rows.len() => update()?,
        _ => 0,
    };
    Ok(())
}

/// The end of a round follows its start, and a final mark follows its score.
fn comes_again(row: &Row) -> bool {
    match row {
        Row::RoundStatus(row) => row.round_ended_at.is_some(),
        Row::LeaderBoard(row) => row.final_submission,
        Row::TeamStatus(row) => row.state != "working",
        Row::RoundHistory(_) | Row::ExecutionSummary(_) => false,
    }
}

impl Table {
    fn updates(&self) -> Vec<String> {
        let (mut sets, mut indexed, mut differ) = (Vec::new(), Vec::new(), Vec::new());
        for (column, _, again) in self.columns {
            match again {
                Kept => {}
                Replaced => sets.push(format!("{column} = new.{column}")),
                Given => sets.push(format!("{column} = coalesce(new.{column}, old.{column})")),
                Changed => {
                    indexed.push(format!("{column} = new.{column}"));
                    differ.push(format!("old.{column} IS DISTINCT FROM new.{column}"));
                }
            }
        }
        let same = self
            .key
            .iter()
            .map(|column| format!("old.{column} = new.{column}"));
        let same = same.collect::<Vec<_>>().join(" AND ");
        let update = |sets: &[String], condition: &str| {
            let (name, sets, given) = (self.name, sets.join(", "), self.given());
            format!("UPDATE {name} AS old SET {sets} FROM {given} WHERE {condition}")
        };
        let mut updates = vec![update(&sets, &same)];
        if !indexed.is_empty() {
            let differ = differ.join(" OR ");
            updates.push(update(&indexed, &format!("{same} AND ({differ})")));
        }
        updates
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
