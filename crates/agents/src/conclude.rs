//! Finds out how an agent ended if its supervisor died before it could record that.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use kumite_core::outcome::{Ended, Outcome};

use crate::contain::Remains;
use crate::files::{self, CLAIM, END, Error, Filled, REQUEST, Reserved, SUPERVISOR_LOG, unix_ms};
use crate::logs::rotated;
use crate::protocol::{Heard, Reader, last_line, paragraph};
use crate::request::{End, Request};
use crate::transcript;

/// Ends what is left of the agent of `dir`, reads from its log how far it got, and records that as
/// its end. Afterwards no agent can start in `dir`.
pub fn conclude(dir: &Path) -> Result<End, Error> {
    conclude_as(dir, false)
}

/// `told`: kumite had told the agent to end.
pub fn conclude_as(dir: &Path, told: bool) -> Result<End, Error> {
    // While we hold the lock, no supervisor can start, so every process of the agent is left over.
    let Some(_lock) = files::try_lock(dir)? else {
        return Err(Error::Busy {
            dir: dir.to_owned(),
        });
    };
    if let Some(end) = files::read(dir, END)? {
        return Ok(end);
    }
    Remains::of(dir).end();
    let request: Option<Request> = files::read(dir, REQUEST)?;
    let (heard, last_words) = request.as_ref().map(reread).unwrap_or_default();
    let outcome = outcome(dir, told, &heard);
    let ended = Ended {
        outcome,
        session: heard.session,
        usage: heard.usage,
        last_words,
    };
    if let Some(request) = &request {
        // The end is more important than a transcript that cannot be written.
        let _ = transcript::close(&request.transcript(), &ended);
    }
    let end = End {
        ended,
        exit_code: None,
        signal: None,
        ended_at: unix_ms(),
        left: Vec::new(),
    };
    // If this fails because the disk is full, the next caller will reach the same conclusion.
    let _ = Reserved::new(dir).fill(&end).and_then(Filled::sync);
    Ok(end)
}

fn outcome(dir: &Path, told: bool, heard: &Heard) -> Outcome {
    if heard.said == Some(Outcome::Finished) {
        return Outcome::Finished;
    }
    if told {
        return Outcome::Killed;
    }
    let why = std::fs::read(dir.join(SUPERVISOR_LOG))
        .map(|log| last_line(&log))
        .unwrap_or_default();
    let because = match why.is_empty() {
        true => " and without a word: it was killed, or the disk is full".to_owned(),
        false => format!(": {why}"),
    };
    match dir.join(CLAIM).exists() {
        true => Outcome::Lost(format!(
            "the agent's supervisor died before the agent's end was seen{because}"
        )),
        false => Outcome::Missing(format!(
            "the agent's supervisor ended before it started the agent{because}"
        )),
    }
}

/// Reads again what is left of the log. An unreadable log contains no result, so it is no success.
fn reread(request: &Request) -> (Heard, String) {
    let mut reader = Reader::new(request.protocol, request.session.clone());
    let mut buffer = vec![0; 64 * 1024];
    let files = [rotated(&request.log), request.log.clone()];
    for mut log in files.iter().flat_map(File::open) {
        while let Ok(count @ 1..) = log.read(&mut buffer) {
            reader.feed(&buffer[..count]);
            reader.take_said();
        }
    }
    reader.look_at_tail();
    reader.take_said();
    (reader.heard().clone(), paragraph(reader.last_words()))
}
