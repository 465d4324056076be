//! Programs of a contest: metrics, and members of model teams.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Unfinished, run_to_end};
use kumite_models::Cancel;

use crate::prompts::clean;

pub struct Program<'a> {
    /// Never empty. A program with a slash in its name is looked up in `home`, not in `dir`: a team
    /// must not replace the program that measures it.
    pub argv: &'a [String],
    pub home: &'a Path,
    pub dir: &'a Path,
    pub contest_id: &'a str,
    pub env: Vec<(&'static str, OsString)>,
    pub input: File,
    pub timeout: Duration,
    pub cancel: &'a Cancel,
}

/// The end of its output; at most [`OUTPUT_MAX`] bytes of each stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
}

/// Why there is no answer, with a sentence for people.
#[derive(Debug)]
pub enum Trouble {
    Start(io::ErrorKind, String),
    TimedOut(String),
    Cancelled(String),
    Failed(String),
}

pub const OUTPUT_MAX: usize = 1 << 20;
/// How much of a program's stderr is quoted in the message about its failure.
const STDERR_CHARS: usize = 1_000;

/// Runs it until it exits successfully. None of its processes is left afterwards, however it ended.
pub fn run(program: Program<'_>) -> Result<Output, Trouble> {
    let name = &program.argv[0];
    let path = match name.contains('/') {
        true => program.home.join(name),
        false => PathBuf::from(name),
    };
    let args = program.argv[1..].iter().map(OsStr::new);
    let argv: Vec<&OsStr> = [path.as_os_str()].into_iter().chain(args).collect();
    let mut env = program.env;
    env.push(("KUMITE_CONTEST", OsString::from(program.contest_id)));
    let ended = run_to_end(kumite_agents::Program {
        argv: &argv,
        dir: program.dir,
        env,
        stdin: program.input,
        stdout: None,
        output_max: OUTPUT_MAX,
        owner: program.contest_id,
        timeout: program.timeout,
        is_cancelled: &|| program.cancel.is_cancelled(),
    });
    let output = ended.map_err(|why| match why {
        Unfinished::Start(error) => {
            Trouble::Start(error.kind(), format!("cannot start {name}: {error}"))
        }
        Unfinished::TimedOut => Trouble::TimedOut(format!(
            "{name} did not end within {} s",
            program.timeout.as_secs_f32()
        )),
        Unfinished::Cancelled => Trouble::Cancelled(format!("{name} was cancelled")),
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(Output {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr,
        }),
        false => Err(Trouble::Failed(format!(
            "{name} failed ({}){}",
            output.status,
            complaint(&stderr)
        ))),
    }
}

/// The end of its stderr, to be appended to a sentence.
pub fn complaint(stderr: &str) -> String {
    let stderr = clean(stderr);
    let from = stderr
        .char_indices()
        .nth_back(STDERR_CHARS - 1)
        .map_or(0, |(at, _)| at);
    match &stderr[from..] {
        "" => String::new(),
        tail => format!(": {tail}"),
    }
}

impl Trouble {
    pub fn into_sentence(self) -> String {
        match self {
            Trouble::Start(_, words)
            | Trouble::TimedOut(words)
            | Trouble::Cancelled(words)
            | Trouble::Failed(words) => words,
        }
    }
}
