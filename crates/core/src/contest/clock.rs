//! The time of a team and of the contest: what is charged, and how much is left.
//!
//! All of it is measured by the contest's own clock, which only runs while a process plays it.

use super::event::{Failed, Failure};
use super::exit::Reason;
use super::state::{Bound, Limit, Measuring, Phase};
use super::team::TeamAtWork;

impl TeamAtWork<'_> {
    /// The time limit of a try that begins after `wait_ms`. If no time is left, the reason of the
    /// exit.
    pub fn limit(&self, own_ms: u64, wait_ms: u64) -> Result<Limit, Reason> {
        let so_far = self.team.used_ms + self.running_ms();
        let team_timeout = self.rules.team_timeout_ms;
        let team = team_timeout.map_or(u64::MAX, |all| all.saturating_sub(so_far));
        let contest = self.contest_left_ms.saturating_sub(wait_ms);
        let mut limit = Limit {
            ms: own_ms.max(1),
            bound: Bound::Own,
        };
        for (ms, bound) in [(team, Bound::Team), (contest, Bound::Contest)] {
            if ms < limit.ms {
                limit = Limit { ms, bound };
            }
        }
        match (limit.ms, self.whose(limit)) {
            (0, Some(reason)) => Err(reason),
            _ => Ok(limit),
        }
    }

    /// The reason of the exit, if the limit that ran out was not the try's own.
    pub fn out_of_time(&self, limit: Limit, failed: &Failed) -> Option<Reason> {
        match failed.failure {
            Failure::TimedOut => self.whose(limit),
            Failure::Passing | Failure::Unusable | Failure::Lasting => None,
        }
    }

    /// The exit for a limit of the team or of the contest; None for the limit of one try.
    fn whose(&self, limit: Limit) -> Option<Reason> {
        match limit.bound {
            Bound::Own => None,
            Bound::Team => Some(Reason::late(self.team)),
            Bound::Contest => Some(Reason::ContestTimeout),
        }
    }

    /// From then on the team is charged, unless it already is.
    pub fn clock_in(&mut self, from_ms: u64) {
        let since = self.team.busy_since_ms.unwrap_or(from_ms);
        self.team.busy_since_ms = Some(since.min(from_ms));
    }

    /// The same for the running metrics: the first of them counts. While all of them back off, no
    /// time is charged.
    pub fn clock_in_metrics(&mut self) {
        let Phase::Measuring { metrics } = &self.team.phase else {
            return;
        };
        let from = metrics.iter().filter_map(|it| match it {
            Measuring::Open { from_ms, .. } => Some(*from_ms),
            Measuring::Later | Measuring::Found(_) => None,
        });
        if let Some(from_ms) = from.min() {
            self.clock_in(from_ms.max(self.clock_ms));
        }
    }

    /// Leaves out a part of the current try in which nobody worked.
    pub fn clock_skip(&mut self, waited_ms: u64) {
        let later = |since: u64| since.saturating_add(waited_ms);
        self.team.busy_since_ms = self.team.busy_since_ms.map(later);
    }

    pub fn clock_out(&mut self) {
        self.team.used_ms += self.running_ms();
        self.team.busy_since_ms = None;
    }

    fn running_ms(&self) -> u64 {
        let since = self.team.busy_since_ms;
        since.map_or(0, |since| self.clock_ms.saturating_sub(since))
    }
}
