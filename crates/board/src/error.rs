//! Errors of a database, separated by what the caller can do about them.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Another process has the file open. It may be free in a moment.
    Locked,
    /// The file is not a database, or it is damaged.
    NoDatabase,
    /// A newer DuckDB wrote the file.
    Newer,
    ReadOnly,
    DiskFull,
    Other,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    pub message: String,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        let message = message.into();
        Error { kind, message }
    }

    /// DuckDB's errors can only be distinguished by their text.
    pub fn of_duckdb(db: &Path, error: &duckdb::Error) -> Error {
        let said = error.to_string();
        let said = said.strip_prefix("IO Error: ").unwrap_or(&said);
        let db = db.display();
        if said.contains("Could not set lock on file") {
            let holder = holder(said).unwrap_or("another process");
            return Error::new(Kind::Locked, format!("{db} is in use by {holder}"));
        }
        if is_newer(said) {
            return Error::new(
                Kind::Newer,
                format!(
                    "a newer DuckDB wrote {db}, in a form that this one cannot read; use another file, or \
                     copy the tables into one made with STORAGE_VERSION 'v1.0.0'"
                ),
            );
        }
        if let Some(error) = of_system(&db.to_string(), said) {
            return error;
        }
        let damaged = [
            "not a valid DuckDB database",
            "Corrupt database file",
            "Could not read enough bytes",
        ];
        if damaged.iter().any(|words| said.contains(words)) {
            return Error::new(
                Kind::NoDatabase,
                format!(
                    "{db} is not a DuckDB database, or it is damaged ({said}); it was left as it is"
                ),
            );
        }
        // The following lines are links and dumps of rows.
        let said = said.lines().next().unwrap_or_default();
        Error::new(Kind::Other, format!("DuckDB says of {db}: {said}"))
    }

    pub fn of_io(db: &Path, error: &io::Error) -> Error {
        let said = error.to_string();
        let db = db.display().to_string();
        of_system(&db, &said)
            .unwrap_or_else(|| Error::new(Kind::Other, format!("cannot use {db}: {said}")))
    }
}

/// The error of the operating system that the text contains, if any.
fn of_system(db: &str, said: &str) -> Option<Error> {
    let has = |words: &[&str]| words.iter().any(|words| said.contains(words));
    if has(&["No space left on device", "Disk quota exceeded"]) {
        let message = format!("cannot write {db}: the disk is full");
        return Some(Error::new(Kind::DiskFull, message));
    }
    let read_only = [
        "Permission denied",
        "Operation not permitted",
        "Read-only file system",
    ];
    if has(&read_only) {
        let message =
            format!("cannot write {db}: it, or its directory, is read-only for this user");
        return Some(Error::new(Kind::ReadOnly, message));
    }
    None
}

/// "... version number 69, but we can only read versions between 64 and 68."
fn is_newer(said: &str) -> bool {
    let after = |words: &str| -> Option<u64> {
        let (_, rest) = said.split_once(words)?;
        rest.split(|sign: char| !sign.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    };
    match (after("with version number "), after(" and ")) {
        (Some(found), Some(known)) => found > known,
        _ => false,
    }
}

/// DuckDB names the program and its process id, if it can see them.
fn holder(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("held in ")?;
    let end = rest.find(')')? + 1;
    rest.get(..end)
}
