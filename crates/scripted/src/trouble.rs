//! Why the agent cannot play its step, as a sentence for a person.

use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub enum Trouble {
    /// A variable of the contract is not set.
    Missing {
        variable: &'static str,
    },
    /// A variable has a value without a meaning here.
    Unusable {
        variable: &'static str,
        value: String,
        expected: &'static str,
    },
    /// An invalid script, or an invalid text inside this crate.
    Script {
        path: PathBuf,
        line: usize,
        problem: String,
    },
    Read {
        path: PathBuf,
        source: io::Error,
    },
    Write {
        path: PathBuf,
        source: io::Error,
    },
    /// A `spec.json` that is not JSON, or has an unexpected shape where something is to be
    /// recorded.
    SpecJson {
        path: PathBuf,
        problem: String,
    },
    /// Nobody reads the output any more.
    Output(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing { variable } => write!(f, "{variable} is not set"),
            Trouble::Unusable {
                variable,
                value,
                expected,
            } => write!(f, "{variable} is {value:?}, expected {expected}"),
            Trouble::Script {
                path,
                line,
                problem,
            } => write!(f, "{}:{line}: {problem}", path.display()),
            Trouble::Read { path, source } => {
                write!(f, "cannot read {}: {source}", path.display())
            }
            Trouble::Write { path, source } => {
                write!(f, "cannot write {}: {source}", path.display())
            }
            Trouble::SpecJson { path, problem } => {
                write!(f, "cannot use {}: {problem}", path.display())
            }
            Trouble::Output(source) => write!(f, "cannot write the output: {source}"),
        }
    }
}

impl std::error::Error for Trouble {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Trouble::Read { source, .. }
            | Trouble::Write { source, .. }
            | Trouble::Output(source) => Some(source),
            Trouble::Missing { .. }
            | Trouble::Unusable { .. }
            | Trouble::Script { .. }
            | Trouble::SpecJson { .. } => None,
        }
    }
}
