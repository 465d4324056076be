//! The built-in agent: plays a whole spec from a script, for the demo and for tests.
//!
//! kumite starts its own binary as the agent process, which calls [`main`]. Each step is a new
//! process, so everything depends on the environment ([`Env`]), the script and the files.
//! It needs no account and no network, and it really writes what it claims to write.

mod clock;
mod code;
mod env;
mod findings;
mod page;
mod script;
mod spec_json;
mod steps;
mod stream;
mod tasks;
mod trouble;
mod workplace;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub use env::Env;
pub use trouble::Trouble;

use env::Assignment;
use script::Script;
use stream::Stream;
use workplace::Workplace;

/// The agent process: environment in, lines on stdout, exit code 0 or 1.
pub fn main() -> ExitCode {
    // Without a current directory the step fails on its first file, and its result says so.
    let project = std::env::current_dir().unwrap_or_else(|_| ".".into());
    match play(&Env::from_process(), &project, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            // Not `eprintln!`, which panics if stderr is closed too.
            let _ = writeln!(io::stderr(), "{trouble}");
            ExitCode::FAILURE
        }
    }
}

/// Plays one step in `project`. In every case the last line of `out` is the only result.
pub fn play(env: &Env, project: &Path, out: &mut dyn Write) -> Result<(), Trouble> {
    let mut stream = Stream::new(out, env.name());
    stream.init(project)?;
    let (job, script) = match prepare(env, project, &mut stream) {
        Ok(prepared) => prepared,
        Err(trouble) => return give_up(&mut stream, trouble),
    };
    let mut workplace = Workplace::new(project, &job.spec, stream);
    match steps::play(&job, &script, &mut workplace) {
        Ok(summary) => workplace.stream.succeed(&summary),
        Err(trouble) => give_up(&mut workplace.stream, trouble),
    }
}

fn prepare(
    env: &Env,
    project: &Path,
    stream: &mut Stream<'_>,
) -> Result<(Assignment, Script), Trouble> {
    let job = Assignment::read(env)?;
    let script = Script::load(project, env.script.as_deref())?;
    stream.set_pace(env.pace()?.unwrap_or(script.pace.0));
    stream.set_cost(script.cost.usd_per_step);
    Ok((job, script))
}

fn give_up(stream: &mut Stream<'_>, trouble: Trouble) -> Result<(), Trouble> {
    stream.fail(&trouble)?;
    Err(trouble)
}
