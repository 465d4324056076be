//! Why the agent cannot play its step, as a sentence for a person.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A variable of the contract is not set.
    #[error("{variable} is not set")]
    Missing { variable: &'static str },
    /// A variable has a value without a meaning here.
    #[error("{variable} is {value:?}, expected {expected}")]
    Unusable {
        variable: &'static str,
        value: String,
        expected: &'static str,
    },
    /// An invalid script, or an invalid text inside this crate.
    #[error("{}:{line}: {problem}", path.display())]
    Script {
        path: PathBuf,
        line: usize,
        problem: String,
    },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A `spec.json` that is not JSON, or has an unexpected shape where something is to be
    /// recorded.
    #[error("cannot use {}: {problem}", path.display())]
    SpecJson { path: PathBuf, problem: String },
    /// Nobody reads the output any more.
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
}
