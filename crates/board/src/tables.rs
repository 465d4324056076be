//! What a database has of our tables, and what is missing.

use std::collections::BTreeSet;
use std::path::Path;

use duckdb::Connection;

use crate::error::{Error, Kind};
use crate::schema::{Since, Table};

/// Readers expect it, although nothing uses it.
const SEQUENCES: [&str; 1] = ["execution_summary_id_seq"];

/// Adds the tables and columns that are missing, all of them or none.
pub fn complete(db: &Path, connection: &Connection, tables: &[Table]) -> Result<(), Error> {
    let sql = lacking(db, connection, tables)?;
    if sql.is_empty() {
        return Ok(());
    }
    let add = || {
        let transaction = connection.unchecked_transaction()?;
        connection.execute_batch(&sql)?;
        transaction.commit()
    };
    add().map_err(|error| Error::of_duckdb(db, &error))
}

/// The statements that would complete the database. If a table with one of our names belongs to
/// another program, that is an error.
pub fn lacking(db: &Path, connection: &Connection, tables: &[Table]) -> Result<String, Error> {
    let found = columns(connection).map_err(|error| Error::of_duckdb(db, &error))?;
    let mut sql = String::new();
    for table in tables {
        if !found.iter().any(|(name, _)| name == table.name) {
            sql += &table.create();
            continue;
        }
        for column in table.columns {
            if found.contains(&(table.name.to_owned(), column.name.to_owned())) {
                continue;
            }
            match column.since {
                Since::First => return Err(foreign(db, table.name, column.name)),
                Since::Later => sql += &table.add_column(column.name),
            }
        }
    }
    match sql.contains("CREATE TABLE") {
        true => Ok(sequences(tables) + &sql),
        false => Ok(sql),
    }
}

fn sequences(tables: &[Table]) -> String {
    let counted = tables.iter().filter(|table| table.has_id);
    let counted = counted.map(|table| format!("{}_id_seq", table.name));
    counted
        .chain(SEQUENCES.map(str::to_owned))
        .map(|name| format!("CREATE SEQUENCE IF NOT EXISTS {name};\n"))
        .collect()
}

/// All columns, with the names of their tables.
fn columns(connection: &Connection) -> duckdb::Result<BTreeSet<(String, String)>> {
    let sql = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.collect()
}

fn foreign(db: &Path, table: &str, column: &str) -> Error {
    let message = format!(
        "{}: its table {table} has no column {column}, so it is not a leader board; \
         it was left as it is",
        db.display()
    );
    Error::new(Kind::NoDatabase, message)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use duckdb::AccessMode;
    use flate2::read::GzDecoder;
    use kumite_core::contest::rows::{LeaderBoard, RoundKey, Row, Write};

    use super::*;
    use crate::open::{close, connect, open, write};
    use crate::schema::{Again, Column, LEADER_BOARD, TABLES};

    /// A board that kumite wrote at commit 8530ba0: one contest of two teams.
    const OLD: &[u8] = include_bytes!("../fixtures/8530ba0.duckdb.gz");

    /// The tables of a later kumite, with one more column.
    fn later() -> Vec<Table> {
        let cost = Column {
            name: "cost_usd",
            sql_type: "DOUBLE",
            rule: "DEFAULT 0",
            again: Again::Replaced,
            since: Since::Later,
        };
        let columns = [LEADER_BOARD.columns, &[cost]].concat();
        let board = Table {
            columns: Box::leak(columns.into_boxed_slice()),
            ..LEADER_BOARD
        };
        let others = TABLES
            .iter()
            .filter(|table| table.name != LEADER_BOARD.name);
        let others = others.map(|table| Table { ..*table });
        others.chain([board]).collect()
    }

    fn scores(connection: &Connection, columns: &str) -> Vec<(String, f64)> {
        let sql = format!("SELECT team_id, {columns} FROM leader_board ORDER BY team_id");
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_board_of_an_older_kumite_gains_the_columns_that_are_new() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("board.duckdb");
        let mut bytes = Vec::new();
        GzDecoder::new(OLD).read_to_end(&mut bytes).unwrap();
        fs::write(&db, bytes).unwrap();

        let connection = open(&db).unwrap();
        let old = [("a".to_owned(), 61.5), ("b".to_owned(), 78.25)];
        assert_eq!(scores(&connection, "score"), old);
        assert_eq!(lacking(&db, &connection, TABLES).unwrap(), "");
        complete(&db, &connection, &later()).unwrap();
        assert_eq!(lacking(&db, &connection, &later()).unwrap(), "");
        close(connection);

        // It is still the same board for the next program that opens it, including an older kumite.
        let connection = connect(&db, AccessMode::ReadWrite, None).unwrap();
        assert_eq!(scores(&connection, "score"), old);
        let none = [("a".to_owned(), 0.0), ("b".to_owned(), 0.0)];
        assert_eq!(scores(&connection, "cost_usd"), none);
        let again = LeaderBoard {
            place: RoundKey {
                execution_id: "contest-1".to_owned(),
                team_id: "a".to_owned(),
                team_name: "Team a".to_owned(),
                round_number: 1,
            },
            submission_content: "better".to_owned(),
            submission_format: "md".to_owned(),
            score: 90.0,
            score_details: "{}".to_owned(),
            final_submission: true,
            exit_reason: None,
            created_at: 1,
            updated_at: 1,
        };
        let rows = vec![Row::LeaderBoard(again)];
        write(&db, &connection, [&Write { rows }]).unwrap();
        assert_eq!(scores(&connection, "score")[0].1, 90.0);
    }

    #[test]
    fn a_table_of_our_name_without_a_first_column_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("other.duckdb");
        let connection = connect(&db, AccessMode::ReadWrite, None).unwrap();
        connection
            .execute_batch("CREATE TABLE leader_board (score DOUBLE)")
            .unwrap();
        let refused = complete(&db, &connection, &later()).unwrap_err();
        assert!(refused.to_string().contains("has no column execution_id"));
        let found = columns(&connection).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
