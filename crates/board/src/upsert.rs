//! Writes rows into their tables. Writing a row again replaces it, but keeps its id and creation
//! time.
//!
//! All rows of a table go to DuckDB as one JSON text: an INSERT takes the new rows, an UPDATE the
//! others. A statement costs DuckDB about a millisecond, and each further row almost nothing;
//! `ON CONFLICT` would use up an id for every repetition.

use std::collections::{BTreeMap, HashSet};

use duckdb::Connection;
use kumite_core::contest::rows::{RoundKey, Row};

use crate::schema::{
    EXECUTION_SUMMARY, LEADER_BOARD, ROUND_HISTORY, ROUND_STATUS, TEAM_STATUS, Table,
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

fn of_round(place: &RoundKey) -> Key<'_> {
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
        Row::TeamStatus(row) => row.exit_reason.is_some(),
        Row::RoundHistory(_) | Row::ExecutionSummary(_) => false,
    }
}
