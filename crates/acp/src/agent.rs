//! The agent's process. Threads wait for its lines, for its end and for signals to us; all events
//! arrive through one channel.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use kumite_core::outcome::Outcome;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::lines::{self, Received};

pub enum Event {
    Line(Received),
    /// Its stdout is closed.
    Closed,
    Exited(io::Result<ExitStatus>),
    /// A signal asked us to end.
    Signal(i32),
}

pub struct Agent {
    pid: Option<Pid>,
    /// Lines for its stdin; dropping this closes it.
    to: Option<Sender<Vec<u8>>>,
    events: Receiver<Event>,
}

/// How many lines may wait for us. An agent that writes faster has to wait.
const WAITING_MAX: usize = 4;

impl Agent {
    /// Starts `command` in the current directory, in our process group, with our stderr.
    pub fn start(command: &[OsString]) -> Result<Agent, Outcome> {
        let (events, heard) = sync_channel(WAITING_MAX);
        // Installed before there is an agent that a signal could leave running.
        watch_signals(events.clone()).map_err(failed)?;
        let (program, args) = command.split_first().ok_or_else(|| {
            Outcome::Missing("no command was given; name it in .kiro/kumite.toml".to_owned())
        })?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| missing(&program.to_string_lossy(), &error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (to, lines) = channel();
        if let Some(stdin) = child.stdin.take() {
            wait("to agent", move || write(stdin, &lines)).map_err(failed)?;
        }
        if let Some(stdout) = child.stdout.take() {
            let events = events.clone();
            wait("from agent", move || read(stdout, &events)).map_err(failed)?;
        }
        wait("end of agent", move || reap(child, &events)).map_err(failed)?;
        Ok(Agent {
            pid,
            to: Some(to),
            events: heard,
        })
    }

    /// Never waits: an agent that does not read must not keep us from reading.
    pub fn send(&self, message: &Value) {
        if let Some(to) = &self.to {
            let _ = to.send(format!("{message}\n").into_bytes());
        }
    }

    /// The next event, unless `until` comes first.
    pub fn next(&self, until: Option<Instant>) -> Option<Event> {
        let Some(until) = until else {
            return Some(self.events.recv().unwrap_or(Event::Closed));
        };
        let left = until.checked_duration_since(Instant::now())?;
        match self.events.recv_timeout(left) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => Some(Event::Closed),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Closes stdin: no more requests will come.
    pub fn close(&mut self) {
        self.to = None;
    }

    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid {
            let _ = kill_process(pid, signal);
        }
    }
}

fn failed(error: io::Error) -> Outcome {
    Outcome::Failed(format!("cannot watch the agent: {error}"))
}

fn missing(program: &str, error: &io::Error) -> Outcome {
    const SETTING: &str = "or name another program in .kiro/kumite.toml";
    Outcome::Missing(match error.kind() {
        io::ErrorKind::NotFound => {
            format!("the agent program {program:?} was not found; install it, {SETTING}")
        }
        io::ErrorKind::PermissionDenied => {
            format!("the agent program {program} is not executable; run chmod +x, {SETTING}")
        }
        _ => format!("the agent program {program} could not be started: {error}"),
    })
}

fn wait(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work)?;
    Ok(())
}

fn watch_signals(events: SyncSender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    wait("signals", move || {
        for signal in signals.forever() {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    })
}

fn write(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        // The agent no longer reads; its end arrives as an event.
        if stdin.write_all(&line).is_err() {
            return;
        }
    }
}

fn read(stdout: ChildStdout, events: &SyncSender<Event>) {
    let mut from = BufReader::with_capacity(64 * 1024, stdout);
    while let Ok(Some(line)) = lines::next(&mut from) {
        if events.send(Event::Line(line)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::Closed);
}

fn reap(mut child: Child, events: &SyncSender<Event>) {
    let status = child.wait();
    let _ = events.send(Event::Exited(status));
}
