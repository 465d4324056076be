//! The program that an agent was started with, as its directory and `usage.jsonl` name it.

use std::fs;
use std::io;
use std::path::Path;

use kumite_agents::End;
use kumite_core::outcome::{Ended, Outcome};

use crate::usage_log::Program;
use kumite_files::{Access, Durable, replace};

/// In an agent's directory. The settings may change while the agent works.
const PROGRAM: &str = "program.json";

/// Notes the program that an agent is started with.
pub fn note(dir: &Path, program: &Program) -> io::Result<()> {
    let text = serde_json::to_vec(program)?;
    replace(&dir.join(PROGRAM), &text, Durable::Process, Access::Private)
}

pub fn read(dir: &Path) -> Option<Program> {
    serde_json::from_slice(&fs::read(dir.join(PROGRAM)).ok()?).ok()
}

/// An agent that died of a signal after its kumite was gone did not fail: the same cause (an
/// operator, the kernel short of memory, a shutdown) ended both.
pub fn of_earlier_kumite(end: End) -> Ended {
    let outcome = match (end.ended.outcome, end.signal) {
        (Outcome::Failed(how), Some(_)) => Outcome::Lost(how),
        // That kumite ended it and could not record it. If a stop is in the journal, the run is
        // stopped however its agent ended.
        (Outcome::Killed, _) => Outcome::Lost("an earlier kumite ended it".to_owned()),
        (outcome, _) => outcome,
    };
    Ended {
        outcome,
        ..end.ended
    }
}
