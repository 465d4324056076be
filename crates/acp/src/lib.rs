//! The bridge to any agent that speaks the Agent Client Protocol: `kumite __acp -- <command>`.
//!
//! A supervisor starts it like any other agent program. It starts the command, acts as its client
//! in version 1 of the protocol, and writes everything to stdout as lines of
//! [`kumite_agents::Said`]. The last line is always `Said::Ended`. No person uses this client:
//! it answers every question itself.
//!
//! **Why we have our own connection.** The types of the protocol come from its schema crate. The
//! connection in its other crate is asynchronous, and would be the only async code here; it
//! reads lines of any length, drops everything that is not JSON, and changes its interface with
//! each
//! of its frequent major versions. We need little of JSON-RPC: one request at a time, and an answer
//! to every request that comes meanwhile. That is `agent.rs` and `talk.rs`, with threads that wait.
//!
//! Start reading at `talk.rs`, then `tell.rs`.

mod agent;
mod answer;
mod diff;
mod fault;
mod files;
mod lines;
mod out;
mod talk;
mod tell;
mod tools;
mod used;

use std::ffi::OsString;
use std::io::Read;
use std::process::ExitCode;

use kumite_core::outcome::Outcome;

use crate::agent::Agent;
use crate::answer::Policy;
use crate::out::Out;
use crate::talk::{Talk, TalkEnd};
use crate::tell::Teller;

/// Runs `kumite __acp [--resume SESSION] -- COMMAND...`; `args` are the arguments after `__acp`.
pub fn bridge(args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(invocation) = Invocation::read(args) else {
        eprintln!("usage: kumite __acp [--resume SESSION] -- COMMAND...");
        return ExitCode::from(2);
    };
    let mut teller = Teller::new(Out::new(std::io::stdout()));
    let end = play(&invocation, &mut teller);
    let code = match &end {
        TalkEnd::Ended(Outcome::Finished) => 0,
        TalkEnd::Ended(_) => 1,
        TalkEnd::Signal(signal) => u8::try_from(128 + signal).unwrap_or(1),
    };
    teller.end(end.outcome());
    ExitCode::from(code)
}

fn play(invocation: &Invocation, teller: &mut Teller) -> TalkEnd {
    let failed = |sentence: String| TalkEnd::Ended(Outcome::Failed(sentence));
    let policy = match Policy::from_env() {
        Ok(policy) => policy,
        Err(sentence) => return failed(sentence),
    };
    let cwd = match std::env::current_dir().and_then(|cwd| cwd.canonicalize()) {
        Ok(cwd) => cwd,
        Err(error) => return failed(format!("cannot find out its working directory: {error}")),
    };
    let mut prompt = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut prompt) {
        return failed(format!("cannot read its prompt from stdin: {error}"));
    }
    match Agent::start(&invocation.command) {
        Ok(agent) => Talk::new(agent, teller, cwd, policy).run(
            &String::from_utf8_lossy(&prompt),
            invocation.resume.as_deref(),
        ),
        Err(outcome) => TalkEnd::Ended(outcome),
    }
}

struct Invocation {
    resume: Option<String>,
    command: Vec<OsString>,
}

impl Invocation {
    fn read(mut args: impl Iterator<Item = OsString>) -> Option<Invocation> {
        let mut resume = None;
        loop {
            match args.next()?.to_str()? {
                "--resume" => resume = Some(args.next()?.into_string().ok()?),
                "--" => break,
                _ => return None,
            }
        }
        let command: Vec<OsString> = args.collect();
        (!command.is_empty()).then_some(Invocation { resume, command })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Option<String>, usize)> {
        let invocation = Invocation::read(line.split_whitespace().map(OsString::from))?;
        Some((invocation.resume, invocation.command.len()))
    }

    #[test]
    fn the_command_stands_behind_two_dashes_and_is_not_looked_into() {
        assert_eq!(read("-- agent --acp -- x"), Some((None, 4)));
        let resumed = Some((Some("s".to_owned()), 1));
        assert_eq!(read("--resume s -- agent"), resumed);
        for bad in ["", "--", "agent", "--resume", "--resume s", "--what -- a"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
