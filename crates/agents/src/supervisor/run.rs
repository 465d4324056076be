//! The loop of a supervisor: bytes, signals, clocks, until no process is left.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use kumite_core::outcome::{Ended, Outcome};
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus};

use super::ending::{self, Ending};
use super::family::Family;
use super::pump::Pump;
use super::start::Started;
use super::verdict::{self, Evidence};
use super::watch::{Cause, Watch};
use crate::contain::Cgroup;
use crate::files::unix_ms;
use crate::request::{End, Request};

/// Grace period for processes the agent left behind.
const LEFTOVER_GRACE: Duration = Duration::from_secs(2);
/// How often we look at the clock when nothing happens. If we are late, this process was frozen.
const TICK: Duration = Duration::from_secs(2);

struct Supervisor<'a> {
    request: &'a Request,
    agent: u32,
    signals: OwnedFd,
    /// The agent's cgroup, if it has one.
    cgroup: Option<&'a Cgroup>,
    pump: Pump,
    watch: Watch,
    family: Family<'a>,
    results: u64,
    exit: Option<WaitStatus>,
    work_end: Option<WorkEnd>,
    ending: Option<Ending>,
}

/// Why the agent's work is over, and what it had said by then.
struct WorkEnd {
    cause: Cause,
    said: Option<Outcome>,
}

/// Runs until the agent and all that it started are gone.
pub fn run(
    dir: &Path,
    request: &Request,
    mut started: Started,
    signals: OwnedFd,
    cgroup: Option<&Cgroup>,
) -> End {
    let agent = started.child.pid;
    let pump = Pump::new(request, &mut started.child);
    let watch = Watch::new(request, Instant::now());
    let mut supervisor = Supervisor {
        request,
        agent,
        signals,
        cgroup,
        pump,
        watch,
        family: Family::new(dir, cgroup.is_none()),
        results: 0,
        exit: None,
        work_end: None,
        ending: None,
    };
    while supervisor.turn() {}
    // The kernel removes only an empty cgroup: this proves that no process is left.
    if let Some(cgroup) = cgroup {
        cgroup.end();
    }
    supervisor.end()
}

impl Supervisor<'_> {
    /// One turn of the loop. `false`: no process is left, or none that can be ended.
    fn turn(&mut self) -> bool {
        let wake = self.next();
        let ready = self.pump.wait(&self.signals, wake);
        self.note_output(ready.output);
        let someone = !ready.signals || self.handle_signals();
        let now = Instant::now();
        self.watch.woke(wake, now);
        self.family.note(now);
        if self.work_end.is_none()
            && let Some(cause) = self.watch.due(now)
        {
            self.finish(cause, now);
        }
        someone
            && self
                .ending
                .as_mut()
                .is_none_or(|ending| ending.advance(now, self.cgroup))
    }

    /// When there is something to do even if nothing happens.
    fn next(&self) -> Instant {
        let tick = Instant::now() + TICK;
        match &self.ending {
            Some(ending) => ending.next(),
            None => self.watch.next().map_or(tick, |(at, _)| at.min(tick)),
        }
    }

    fn note_output(&mut self, any: bool) {
        if !any {
            return;
        }
        let now = Instant::now();
        self.watch.heard(now);
        let results = self.pump.reader.heard().results;
        if results > self.results {
            self.results = results;
            self.watch.heard_result(now);
        }
    }

    /// `false`: there are no more children.
    fn handle_signals(&mut self) -> bool {
        let mut someone = true;
        // The first four bytes of each record are the signal number.
        let mut record = [0; size_of::<libc::signalfd_siginfo>()];
        while rustix::io::read(&self.signals, &mut record).is_ok_and(|count| count == record.len())
        {
            match i32::from_ne_bytes([record[0], record[1], record[2], record[3]]) {
                // First check whether the agent has ended by itself: TERM is read before CHLD, even
                // if CHLD came first.
                libc::SIGTERM => {
                    someone = self.reap();
                    self.finish(Cause::Told, Instant::now());
                }
                libc::SIGQUIT => {
                    someone = self.reap();
                    self.kill();
                }
                libc::SIGCHLD => someone = self.reap(),
                // A closed terminal, or Ctrl-C in it, concerns kumite, not the agent.
                _ => {}
            }
        }
        someone
    }

    /// Reaps ended children. `false`: there are no more children.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status)))
                    if pid.as_raw_nonzero().get().unsigned_abs() == self.agent =>
                {
                    self.exit = Some(status);
                    self.agent_is_gone();
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn agent_is_gone(&mut self) {
        let (now, grace) = (Instant::now(), self.term_grace().min(LEFTOVER_GRACE));
        if self.work_end.is_none() {
            self.work_end = Some(WorkEnd {
                cause: Cause::Exited,
                said: None,
            });
        }
        match &mut self.ending {
            Some(ending) => ending.agent_is_gone(now, grace),
            None => self.ending = Some(Ending::terminate(now, grace)),
        }
    }

    /// The agent's work is over, unless it already was.
    fn finish(&mut self, cause: Cause, now: Instant) {
        if self.work_end.is_some() {
            return;
        }
        // Its output is in the pipe, even if we have not read it yet.
        self.pump.drain();
        self.pump.reader.look_at_tail();
        let said = self.pump.reader.heard().said.clone();
        let hung = cause == Cause::Silent && said.is_none();
        self.work_end = Some(WorkEnd { cause, said });
        let grace = self.term_grace();
        self.ending = Some(if hung {
            Ending::interrupt(self.agent, now, grace)
        } else {
            Ending::terminate(now, grace)
        });
    }

    fn kill(&mut self) {
        let now = Instant::now();
        self.finish(Cause::Told, now);
        if let Some(ending) = &mut self.ending {
            ending.kill(now);
        }
    }

    fn term_grace(&self) -> Duration {
        Duration::from_millis(self.request.term_grace_ms)
    }

    fn end(mut self) -> End {
        self.pump.finish();
        let outcome = self.pump.mask(self.outcome());
        let heard = self.pump.reader.heard();
        let ended = Ended {
            outcome,
            session: heard.session.clone(),
            usage: heard.usage,
            last_words: self.pump.last_words(),
        };
        self.pump.note_end(&ended);
        End {
            ended,
            exit_code: self.exit.and_then(WaitStatus::exit_status),
            signal: self.exit.and_then(WaitStatus::terminating_signal),
            ended_at: unix_ms(),
            left: left(),
        }
    }

    fn outcome(&self) -> Outcome {
        let work_end = self.work_end.as_ref();
        let cause = work_end.map_or(Cause::Exited, |work_end| work_end.cause);
        let last = self.pump.reader.heard().said.as_ref();
        let exited_well = self.exit.and_then(WaitStatus::exit_status) == Some(0);
        let said = match cause {
            Cause::Exited => last,
            // The agent finished just before the stop: its work is done and paid for.
            Cause::Told if exited_well && last == Some(&Outcome::Finished) => last,
            Cause::Told | Cause::Silent | Cause::Settled | Cause::Overtime => {
                work_end.and_then(|work_end| work_end.said.as_ref())
            }
        };
        let outcome = verdict::judge(&Evidence {
            cause,
            said,
            exit_code: self.exit.and_then(WaitStatus::exit_status),
            signal: self.exit.and_then(WaitStatus::terminating_signal),
            last_line: self.pump.last_line(),
            hint: self
                .exit
                .and_then(|exit| self.pump.hint(exit.exit_status()?)),
            protocol: self.request.protocol,
        });
        match (outcome, self.pump.loss()) {
            (Outcome::Failed(sentence), Some(loss)) => {
                Outcome::Failed(format!("{sentence} ({loss})"))
            }
            (outcome, _) => outcome,
        }
    }
}

/// The remaining processes. Usually there are none; then the kernel says so at once, and we need not
/// look at all processes.
fn left() -> Vec<u32> {
    if rustix::process::wait(WaitOptions::NOHANG).err() == Some(Errno::CHILD) {
        return Vec::new();
    }
    ending::everyone()
        .iter()
        .map(|process| process.pid)
        .collect()
}
