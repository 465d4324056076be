//! The programs that kumite knows by name. Each has a directory: how it is started, and its output
//! format.

mod claude;
mod codex;
mod gemini;
mod opencode;

use kumite_core::program::ProgramKind;

use crate::driver::{Invocation, Order, ProgramConfig};
use crate::protocol::Dialect;

pub fn invocation(program: ProgramKind, config: &ProgramConfig, order: &Order) -> Invocation {
    match program {
        ProgramKind::Claude => claude::invocation(config, order),
        ProgramKind::Codex => codex::invocation(config, order),
        ProgramKind::Gemini => gemini::invocation(config, order),
        ProgramKind::Opencode => opencode::invocation(config, order),
    }
}

pub fn dialect(program: ProgramKind) -> Box<dyn Dialect> {
    match program {
        ProgramKind::Claude => Box::new(claude::Claude::default()),
        ProgramKind::Codex => Box::new(codex::Codex::default()),
        ProgramKind::Gemini => Box::new(gemini::Gemini::default()),
        ProgramKind::Opencode => Box::new(opencode::Opencode::default()),
    }
}
