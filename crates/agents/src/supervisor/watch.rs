//! The clocks of a working agent. They are monotonic, so no agent is ended because somebody changed
//! the time or a laptop slept. No agent is ended either because it was frozen together with its
//! supervisor (`docker pause`, Ctrl-Z).

use std::time::{Duration, Instant};

use crate::request::Request;

/// Why an agent's work is over. The first reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It ended by itself.
    Exited,
    /// It reported success, but did not exit.
    Settled,
    /// It said nothing for too long.
    Silent,
    /// It took longer than a step may take.
    Overtime,
    /// We were asked to end it.
    Told,
}

/// A busy machine wakes us late, but by less than this.
const LATE: Duration = Duration::from_secs(1);

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

    /// We should have woken at `wake` at the latest. If it is much later, we were frozen together
    /// with the agent: time in which it could do nothing does not count.
    pub fn woke(&mut self, wake: Instant, now: Instant) {
        let late = now.saturating_duration_since(wake);
        if late < LATE {
            return;
        }
        self.heard_at = now;
        for deadline in [&mut self.step_ends, &mut self.settled_at] {
            *deadline = deadline.and_then(|at| at.checked_add(late));
        }
    }

    /// The clock that has run out at `now`, if any.
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watch(now: Instant) -> Watch {
        Watch {
            step_ends: Some(now + 10 * SECOND),
            silence: Some(3 * SECOND),
            exit_grace: 5 * SECOND,
            heard_at: now,
            settled_at: None,
        }
    }

    #[test]
    fn m7_a_freeze_starts_the_silence_anew_and_lengthens_the_step() {
        let now = Instant::now();
        let mut frozen = watch(now);
        let later = now + 60 * SECOND;
        frozen.woke(now + 2 * SECOND, later);
        assert_eq!(frozen.due(later), None);
        assert_eq!(frozen.next(), Some((later + 3 * SECOND, Cause::Silent)));
        assert_eq!(frozen.step_ends, Some(now + 68 * SECOND));
    }

    #[test]
    fn m7_a_little_late_is_not_frozen() {
        let now = Instant::now();
        let mut awake = watch(now);
        let wake = now + 3 * SECOND;
        awake.woke(wake, wake + SECOND / 2);
        assert_eq!(awake.due(wake + SECOND / 2), Some(Cause::Silent));
    }
}
