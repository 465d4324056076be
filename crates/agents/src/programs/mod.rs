//! The agent programs that kumite knows by name. Each has a directory: how it is started, and how
//! its output is read.

mod claude;
mod codex;
mod gemini;
mod opencode;

use kumite_core::program::ProgramKind;

use crate::driver::{Assignment, Invocation};
use crate::protocol::Dialect;
use crate::request::Protocol;

/// What the settings say about a program.
#[derive(Clone, Debug)]
pub struct Config<'a> {
    pub program: &'a str,
    pub args: &'a [String],
    pub model: &'a str,
    pub mode: &'a str,
}

pub fn invocation(
    program: ProgramKind,
    config: &Config<'_>,
    assignment: &Assignment,
) -> Invocation {
    // Some programs accept the id of a new session; the others choose it themselves.
    let (args, session) = match program {
        ProgramKind::Claude => (claude::args(config, assignment), Some(assignment.session())),
        ProgramKind::Codex => (
            codex::args(config, assignment),
            assignment.resume.as_deref(),
        ),
        ProgramKind::Gemini => (gemini::args(config, assignment), Some(assignment.session())),
        ProgramKind::Opencode => (
            opencode::args(config, assignment),
            assignment.resume.as_deref(),
        ),
    };
    Invocation {
        program: config.program.to_owned(),
        args,
        env: Vec::new(),
        // If the prompt were an argument, every user of the machine could see it in the list of
        // processes. It could also look like an option, and OpenCode would pass it on in quotes.
        stdin: Some(assignment.prompt.clone()),
        protocol: Protocol::Program(program),
        session: session.map(str::to_owned),
    }
}

#[cfg(test)]
impl<'a> Config<'a> {
    fn new(program: ProgramKind, model: &'a str, args: &'a [String]) -> Config<'a> {
        Config {
            program: program.name(),
            args,
            model,
            mode: program.info().default_mode,
        }
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
