//! The ending: all descendants of this process are asked to exit, then killed.
//!
//! As the child subreaper we are the ancestor of everything that the agent started, even after
//! setsid or double forks. So a walk from us finds all of it, and the kernel tells when nothing is
//! left.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};

use crate::contain::Cgroup;
use crate::process::{Identity, raw};
use crate::tree;

/// How long an interrupted agent has before the other processes are asked too.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// A process that survives KILL for this long cannot be ended by us.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How often to look for new processes: they may be forked while their parents are ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOK_EVERY_WHEN_KILLING: Duration = Duration::from_millis(10);

pub struct Ending {
    stage: Stage,
    until: Instant,
    next_look: Instant,
    term_grace: Duration,
    asked: HashSet<Identity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Interrupt,
    Terminate,
    Kill,
    GivenUp,
}

impl Ending {
    /// TERM to all, KILL after `term_grace`.
    pub fn terminate(now: Instant, term_grace: Duration) -> Ending {
        Ending {
            stage: Stage::Terminate,
            until: after(now, term_grace),
            next_look: now,
            term_grace,
            asked: HashSet::new(),
        }
    }

    /// INT to the agent's group first: a hung agent may still be able to save its session.
    pub fn interrupt(agent: u32, now: Instant, term_grace: Duration) -> Ending {
        if let Ok(group) = raw(agent) {
            let _ = kill_process_group(group, Signal::INT);
        }
        let until = after(now, INTERRUPT_GRACE);
        Ending {
            stage: Stage::Interrupt,
            until,
            next_look: until,
            term_grace,
            asked: HashSet::new(),
        }
    }

    /// The agent itself is gone. The processes that it left get at most `grace`.
    pub fn agent_is_gone(&mut self, now: Instant, grace: Duration) {
        match self.stage {
            Stage::Interrupt => *self = Ending::terminate(now, grace),
            Stage::Terminate => self.until = self.until.min(after(now, grace)),
            Stage::Kill | Stage::GivenUp => {}
        }
    }

    pub fn kill(&mut self, now: Instant) {
        if self.stage != Stage::GivenUp {
            (self.stage, self.until, self.next_look) =
                (Stage::Kill, after(now, KILL_PATIENCE), now);
        }
    }

    /// When [`Ending::advance`] has something to do.
    pub fn next(&self) -> Instant {
        self.until.min(self.next_look)
    }

    /// Does what is due. `false`: nothing more can be done.
    pub fn advance(&mut self, now: Instant, cgroup: Option<&Cgroup>) -> bool {
        if now >= self.until {
            match self.stage {
                Stage::Interrupt => *self = Ending::terminate(now, self.term_grace),
                Stage::Terminate => self.kill(now),
                Stage::Kill | Stage::GivenUp => self.stage = Stage::GivenUp,
            }
        }
        if now >= self.next_look {
            self.look(now, cgroup);
        }
        self.stage != Stage::GivenUp
    }

    fn look(&mut self, now: Instant, cgroup: Option<&Cgroup>) {
        match self.stage {
            Stage::Terminate => {
                let strangers = everyone()
                    .into_iter()
                    .filter(|process| self.asked.insert(*process));
                strangers.for_each(|process| process.signal(Signal::TERM));
                self.next_look = now + LOOK_EVERY;
            }
            Stage::Kill => {
                // All at once, so that no process escapes by forking; then those that left the
                // cgroup.
                if let Some(cgroup) = cgroup {
                    cgroup.kill();
                }
                everyone()
                    .into_iter()
                    .for_each(|process| process.signal(Signal::KILL));
                self.next_look = now + LOOK_EVERY_WHEN_KILLING;
            }
            Stage::Interrupt | Stage::GivenUp => {}
        }
    }
}

/// All processes that exist because of us.
pub fn everyone() -> Vec<Identity> {
    tree::descendants(&[std::process::id()], &tree::all())
}

fn after(now: Instant, duration: Duration) -> Instant {
    // A grace too long for the clock is replaced by a year.
    now.checked_add(duration)
        .unwrap_or(now + Duration::from_secs(86_400 * 365))
}
