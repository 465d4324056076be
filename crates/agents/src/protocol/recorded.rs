//! Our own recordings of the real programs (`fixtures/`), read as a supervisor reads them.

use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;
use serde_json::Value;

use super::{Heard, Reader};
use crate::request::Protocol;
use crate::said::Said;
use crate::supervisor::verdict_of;

pub struct Recorded {
    pub heard: Heard,
    pub said: Vec<Said>,
    outcome: Outcome,
}

impl Recorded {
    /// The supervisor's verdict.
    pub fn outcome(&self) -> Outcome {
        self.outcome.clone()
    }
}

pub fn recorded(program: &str, name: &str) -> Recorded {
    let dir = format!("{}/fixtures/{program}", env!("CARGO_MANIFEST_DIR"));
    let protocol = Protocol::Program(ProgramKind::named(program).unwrap());
    let output = std::fs::read(format!("{dir}/{name}.jsonl")).unwrap();
    let complaints = std::fs::read(format!("{dir}/{name}.stderr")).unwrap_or_default();
    let index = std::fs::read(format!("{dir}/index.json")).unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    let code = index["scenarios"][name]["exit_code"].as_i64();
    let mut reader = Reader::new(protocol, None);
    reader.complain(&complaints);
    reader.feed(&output);
    reader.look_at_tail();
    let complaints = String::from_utf8_lossy(&complaints);
    let code = code.map(|code| i32::try_from(code).unwrap());
    let outcome = verdict_of(&reader, protocol, code, &complaints);
    Recorded {
        heard: reader.heard().clone(),
        said: reader.take_said(),
        outcome,
    }
}
