//! Floods: an agent that writes more than anybody could read must not slow down other agents. It and
//! its supervisor get a low priority. On an idle machine this changes nothing.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{setpriority_pgrp, setpriority_process};

use crate::process::raw;

/// No agent has this much to say in such a short time.
const FLOOD: usize = 6 * 1024 * 1024;
const WINDOW: Duration = Duration::from_secs(3);
/// A low priority. It stays: few processes may raise their own priority again.
const NICE: i32 = 15;

pub struct Pace {
    agent: u32,
    since: Instant,
    bytes: usize,
    stepped_back: bool,
}

impl Pace {
    pub fn new(agent: u32) -> Pace {
        Pace {
            agent,
            since: Instant::now(),
            bytes: 0,
            stepped_back: false,
        }
    }

    pub fn note(&mut self, bytes: usize) {
        if self.stepped_back || !self.is_flood(bytes, Instant::now()) {
            return;
        }
        self.stepped_back = true;
        // If this is not allowed, the flood keeps its priority. Where Linux groups processes by
        // session (autogroup), this is about the session of the agent and its supervisor.
        let _ = fs::write("/proc/self/autogroup", NICE.to_string());
        let _ = setpriority_process(None, NICE);
        if let Ok(group) = raw(self.agent) {
            let _ = setpriority_pgrp(Some(group), NICE);
        }
    }

    fn is_flood(&mut self, bytes: usize, now: Instant) -> bool {
        if now.duration_since(self.since) >= WINDOW {
            (self.since, self.bytes) = (now, 0);
        }
        self.bytes += bytes;
        self.bytes > FLOOD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_in_a_short_time_is_a_flood() {
        let half = FLOOD / 2 + 1;
        let mut pace = Pace::new(0);
        let begin = pace.since;
        assert!(!pace.is_flood(half, begin));
        assert!(!pace.is_flood(half, begin + WINDOW));
        assert!(pace.is_flood(half, begin + WINDOW + Duration::from_secs(2)));
    }
}
