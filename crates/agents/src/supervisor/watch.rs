//! The clocks of a working agent. They are monotonic: a clock that is set, or a laptop that sleeps,
//! ends no agent.

use std::time::{Duration, Instant};

use crate::request::Request;

/// Why an agent's work is over. The first reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It ended by itself.
    Exited,
    /// It reported success, and stayed.
    Settled,
    /// It said nothing for too long.
    Silent,
    /// It took longer than a step may take.
    Overtime,
    /// We were asked to end it.
    Told,
}

pub struct Watch {
    step_ends: Option<Instant>,
    silence: Option<Duration>,
    exit_grace: Duration,
    heard_at: Instant,
    settled_at: Option<Instant>,
}

impl Watch {
    pub fn new(request: &Request, now: Instant) -> Watch {
        Watch {
            step_ends: limit(request.step_timeout_ms).and_then(|limit| now.checked_add(limit)),
            silence: limit(request.silence_timeout_ms),
            exit_grace: Duration::from_millis(request.exit_grace_ms),
            heard_at: now,
            settled_at: None,
        }
    }

    pub fn heard(&mut self, now: Instant) {
        self.heard_at = now;
    }

    pub fn heard_result(&mut self, now: Instant) {
        self.settled_at = Some(now);
    }

    /// What is over at `now`, if anything.
    pub fn due(&self, now: Instant) -> Option<Cause> {
        let (at, cause) = self.next()?;
        (at <= now).then_some(cause)
    }

    /// What would end the agent next, and when.
    pub fn next(&self) -> Option<(Instant, Cause)> {
        // After a result, silence is expected; only `exit_grace` applies.
        let quiet = match self.settled_at {
            Some(at) => at
                .checked_add(self.exit_grace)
                .map(|at| (at, Cause::Settled)),
            None => self
                .silence
                .and_then(|limit| self.heard_at.checked_add(limit))
                .map(|at| (at, Cause::Silent)),
        };
        let step = self.step_ends.map(|at| (at, Cause::Overtime));
        quiet.into_iter().chain(step).min_by_key(|(at, _)| *at)
    }
}

fn limit(milliseconds: u64) -> Option<Duration> {
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
}
