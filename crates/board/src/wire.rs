//! The messages on stdin and stdout of `kumite-board serve`, one JSON object per line.

use std::io;

use kumite_core::contest::rows::Write;
use serde::{Deserialize, Serialize};

use crate::error::Error;

#[derive(Debug, Deserialize, Serialize)]
pub struct Request {
    /// Repeated in the reply.
    pub id: u64,
    #[serde(flatten)]
    pub ask: Ask,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// All rows are in the database afterwards, or none.
    Write(Write),
    /// Asks whether a write would succeed. Nothing is created.
    Check {},
    /// Releases the file for others.
    Close {},
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Reply {
    /// None: the request could not be read.
    pub id: Option<u64>,
    #[serde(flatten)]
    pub answer: Answer,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Ok(bool),
    Error(Error),
}

impl From<Result<(), Error>> for Answer {
    fn from(done: Result<(), Error>) -> Answer {
        match done {
            Ok(()) => Answer::Ok(true),
            Err(error) => Answer::Error(error),
        }
    }
}

pub fn reply(
    output: &mut impl io::Write,
    id: Option<u64>,
    done: Result<(), Error>,
) -> io::Result<()> {
    let answer = done.into();
    let mut line = serde_json::to_vec(&Reply { id, answer })?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}
