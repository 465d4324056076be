//! The ending: everything that descends from this process is asked to go, then made to.
//!
//! As the child subreaper we are the ancestor of all that the agent started, also of what called
//! setsid or forked twice. So a walk from us finds them, and the kernel says when nobody is left.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};

use crate::contain::Cgroup;
use crate::process::{Identity, raw};
use crate::tree;

/// What an interrupted agent gets before the others are asked as well.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// What is left after this long in spite of KILL cannot be ended by us.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How often newcomers are looked for: they may be forked while their parents are ended.
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

    /// The agent itself is gone. What it left behind gets `grace` at most.
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
                // All at once, so that nobody forks away; then those who left it.
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

/// Everyone who lives because of us.
pub fn everyone() -> Vec<Identity> {
    tree::descendants(&[std::process::id()], &tree::all())
}

fn after(now: Instant, duration: Duration) -> Instant {
    // A grace beyond the reach of the clock is a very long one.
    now.checked_add(duration)
        .unwrap_or(now + Duration::from_secs(86_400 * 365))
}
