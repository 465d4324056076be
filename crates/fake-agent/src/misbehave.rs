//! What a good agent does not do: hang, flood its output, ignore signals, leave processes behind.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, set_parent_process_death_signal, setpgid, setsid,
};
use serde_json::json;

use crate::launch::append_line;
use crate::play::{Action, ChildKind, Noise};
use crate::talk::Talk;

const POLL: Duration = Duration::from_millis(5);
const MB: usize = 1_000_000;

/// Waiting, with or without signs of life.
pub struct Rest<'a> {
    heartbeat: Option<(Duration, &'a mut Talk)>,
}

impl<'a> Rest<'a> {
    pub fn silent() -> Rest<'a> {
        Rest { heartbeat: None }
    }

    pub fn with_heartbeat(every: Option<Duration>, talk: &'a mut Talk) -> Rest<'a> {
        Rest {
            heartbeat: every.map(|every| (every.max(POLL), talk)),
        }
    }

    pub fn for_ms(&mut self, ms: u64) {
        let end = Instant::now() + Duration::from_millis(ms);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match &mut self.heartbeat {
                Some((every, talk)) if *every < left => {
                    thread::sleep(*every);
                    talk.heartbeat();
                }
                _ => return thread::sleep(left),
            }
        }
    }

    pub fn until_exists(&mut self, path: &Path) {
        let mut last_beat = Instant::now();
        while !path.exists() {
            thread::sleep(POLL);
            if let Some((every, talk)) = &mut self.heartbeat
                && last_beat.elapsed() >= *every
            {
                talk.heartbeat();
                last_beat = Instant::now();
            }
        }
    }

    pub fn for_ever(&mut self) -> ! {
        loop {
            self.for_ms(3_600_000);
        }
    }
}

pub fn make_noise(action: &Action, talk: &mut Talk) {
    for noise in &action.noise {
        match noise {
            Noise::InvalidUtf8 => {
                talk.raw(b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9 \xff\"}]}}\n");
                talk.raw(b"\xc3\x28\xa0\xa1\x00\n");
            }
            // Handled by `Talk`, which writes all line ends.
            Noise::Crlf => {}
            Noise::HugeLine => huge_line(talk, action.noise_mb.unwrap_or(100)),
            Noise::Flood => flood(talk, action.noise_mb.unwrap_or(100)),
            Noise::UnknownEvents => unknown_events(talk),
            Noise::Stderr => shout(action.noise_mb.unwrap_or(1)),
        }
    }
}

/// A valid event on one line of that size.
fn huge_line(talk: &mut Talk, megabytes: usize) {
    talk.raw(br#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_huge","content":""#);
    let filling = vec![b'x'; MB];
    for _ in 0..megabytes {
        talk.raw(&filling);
    }
    talk.raw(b"\"}]}}\n");
}

fn flood(talk: &mut Talk, megabytes: usize) {
    let text = "All work and no play makes the agent a dull program. ".repeat(20);
    let line_bytes = text.len() + 400;
    for _ in 0..megabytes * MB / line_bytes {
        talk.text(&text);
    }
}

fn unknown_events(talk: &mut Talk) {
    talk.say(json!({"type": "weather_report", "forecast": {"rain": [1, null, true]}}));
    talk.say(json!({"type": "system", "subtype": "never_heard_of"}));
    talk.say(json!({"no": "type"}));
    talk.raw(b"[1, 2, 3]\n42\nnull\n\n{}\n{\"type\": 7}\n{\"type\":\"result\",\nnot JSON at all\n");
}

fn shout(megabytes: usize) {
    let line = format!("warning: {}\n", "something went wrong, perhaps; ".repeat(3));
    let chunk = line.repeat(MB / line.len() + 1);
    for _ in 0..megabytes {
        let _ = std::io::stderr().write_all(&chunk.as_bytes()[..MB]);
    }
}

const SLEEP_AS_CHILD: &str = "--sleep-as-child";
const ZOMBIE: &str = "zombie";

/// Starts processes that outlive us. All have written their ids to `list` when this returns.
pub fn leave_children(kinds: &[ChildKind], list: &Path) -> Result<(), String> {
    for kind in kinds {
        let kind = match kind {
            ChildKind::Child => "child",
            ChildKind::Group => "group",
            ChildKind::Setsid => "setsid",
            ChildKind::DoubleFork => "double_fork",
            ChildKind::NoEnv => "no_env",
            ChildKind::Deaf => "deaf",
        };
        let left = spawn_sleeper(kind, list).and_then(|mut child| match kind {
            "double_fork" | "no_env" => child.wait().map(drop),
            _ => wait_until_listed(&mut child, list),
        });
        left.map_err(|error| format!("cannot leave a {kind} behind: {error}"))?;
    }
    Ok(())
}

/// The remaining arguments, if this process was started as such a child.
pub fn asked_to_sleep_as_child() -> Option<(String, PathBuf)> {
    let mut args = env::args_os().skip(1);
    if args.next()? != SLEEP_AS_CHILD {
        return None;
    }
    let kind = args.next().unwrap_or_else(|| ZOMBIE.into());
    let list = args.next().unwrap_or_default();
    Some((kind.into_string().ok()?, list.into()))
}

/// The life of a child. A daemon needs two of them: the first starts the second in a new session
/// and ends.
pub fn sleep_as_child((kind, list): &(String, PathBuf)) -> ExitCode {
    let live = || {
        if kind == ZOMBIE {
            return Ok(());
        }
        ignore(libc::SIGHUP);
        match kind.as_str() {
            "child" => {}
            "group" => setpgid(None, None)?,
            _ => drop(setsid()?),
        }
        if kind == "double_fork" || kind == "no_env" {
            let mut daemon = spawn_sleeper("child", list)?;
            return wait_until_listed(&mut daemon, list);
        }
        if kind == "deaf" {
            ignore_polite_signals();
        }
        append_line(list, &getpid().as_raw_nonzero().to_string())?;
        thread::sleep(Duration::from_secs(600));
        Ok(())
    };
    match live() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fake-agent: a child failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Like background shells, children keep our stdout and stderr open.
fn spawn_sleeper(kind: &str, list: &Path) -> std::io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    if kind == "no_env" {
        command.env_clear();
    }
    command
        .arg(SLEEP_AS_CHILD)
        .arg(kind)
        .arg(list)
        .stdin(Stdio::null())
        .spawn()
}

/// Children that end and are never waited for.
pub fn leave_zombies(count: u32) -> Result<(), String> {
    for _ in 0..count {
        let trouble = |error: std::io::Error| format!("cannot leave a zombie: {error}");
        let mut command = Command::new(env::current_exe().map_err(trouble)?);
        // Never waited for, on purpose.
        let child = command.arg(SLEEP_AS_CHILD).stdin(Stdio::null()).spawn();
        std::mem::forget(child.map_err(trouble)?);
    }
    Ok(())
}

/// From now on our output goes nowhere.
pub fn close_output() {
    if let Ok(null) = fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

/// Kills our supervisor without dying from that.
pub fn kill_supervisor() -> Result<(), String> {
    let trouble = |error| format!("cannot kill the supervisor: {error}");
    set_parent_process_death_signal(None).map_err(trouble)?;
    match getppid() {
        Some(parent) if parent != Pid::INIT => kill_process(parent, Signal::KILL).map_err(trouble),
        _ => Ok(()),
    }
}

fn wait_until_listed(child: &mut Child, list: &Path) -> std::io::Result<()> {
    let id = child.id().to_string();
    while !fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| line == id)) {
        if child.try_wait()?.is_some() {
            return Err(std::io::Error::other("it ended at once"));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

pub fn ignore_polite_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        ignore(signal);
    }
}

/// Returns only if the signal does not kill, like SIGCHLD, or SIGSTOP after SIGCONT.
pub fn die_of(signal: i32) -> Result<(), String> {
    let named = Signal::from_named_raw(signal).ok_or_else(|| format!("{signal} is no signal"))?;
    set_disposition(signal, libc::SIG_DFL);
    kill_process(getpid(), named).map_err(|error| format!("cannot die of {signal}: {error}"))
}

fn ignore(signal: i32) {
    set_disposition(signal, libc::SIG_IGN);
}

#[allow(unsafe_code)]
fn set_disposition(signal: i32, disposition: libc::sighandler_t) {
    debug_assert!(disposition == libc::SIG_IGN || disposition == libc::SIG_DFL);
    // SAFETY: SIG_IGN and SIG_DFL run no code of ours when a signal arrives, and `signal` touches
    // no memory. Signals that cannot be changed (SIGKILL, SIGSTOP) are refused by the kernel.
    unsafe {
        libc::signal(signal, disposition);
    }
}
