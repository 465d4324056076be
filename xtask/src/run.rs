//! Runs programs visibly, one after the other.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Ends a chore with this exit code. The error has already been printed.
#[derive(Debug)]
pub struct Stop(pub u8);

pub type Done = Result<(), Stop>;

/// Prints what is wrong and ends the chore.
pub fn fail<T>(why: &str) -> Result<T, Stop> {
    eprintln!("xtask: {why}");
    Err(Stop(1))
}

/// The root of the project.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that runs us, in the root of the project.
pub fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = match ignores_interrupts() {
        false => Command::new(program),
        true => {
            let mut env = Command::new("env");
            env.arg("--default-signal=INT,HUP").arg(program);
            env
        }
    };
    command.args(args).current_dir(root());
    command
}

/// Whether a shell started us in the background, or nohup did. kumite keeps a signal ignored that
/// was ignored when it started, so tests that interrupt it would wait for ever.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    // SIGHUP is 1, SIGINT is 2.
    mask.is_some_and(|mask| mask & 0b11 != 0)
}

/// Runs a command to its end, on our terminal. A failure ends the chore with its exit code.
pub fn run(command: &mut Command) -> Done {
    eprintln!("$ {}", line(command));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop(code(status))),
        Err(error) => fail(&format!("cannot start {}: {error}", line(command))),
    }
}

/// The same, and returns the time it took.
pub fn timed(command: &mut Command) -> Result<Duration, Stop> {
    let began = Instant::now();
    run(command).inspect_err(|Stop(code)| {
        eprintln!("xtask: failed with exit code {code}: {}", line(command));
    })?;
    Ok(began.elapsed())
}

/// Whether a command can be run at all.
pub fn works(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Where cargo puts its output.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Where chores keep what they install.
pub fn cache() -> PathBuf {
    let dir = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let base = dir("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| dir("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(|| root().join("target"));
    base.join("kumite-xtask")
}

/// The exit code as a shell gives it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or_default();
    let words = [name].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
