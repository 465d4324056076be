//! A usage limit is a wait, not a failure; a team that finds one tells all others.

use std::time::Duration;

use kumite_core::contest::{Failed, Failure};
use kumite_core::outcome::{Limit, LimitKind};
use kumite_core::run::{OVERLOADS_MAX, jitter, limit_until};
use kumite_host::clock::{local_moment, now_ms};
use kumite_host::limits::{self, Account};
use kumite_host::spec_file::sentence;

use super::attempt::{Attempt, cancelled, failed, passing};

/// How often the clock is read: it may jump.
const LOOK_EVERY: Duration = Duration::from_millis(250);

impl Attempt<'_> {
    /// No agent is started if its account is known to be limited.
    pub(super) fn hold_back(&mut self) -> Result<(), Failed> {
        let account = Account::of(&self.team.settings);
        while let Some(held) = limits::held(&account) {
            self.wait_until(held.until_ms, &held.words)?;
        }
        Ok(())
    }

    /// The agent of this try may not go on for now.
    pub(super) fn wait_out(&mut self, limit: &Limit, is_found: bool) -> Result<(), Failed> {
        // The end of the limit was noted then, unless a person did not want to wait.
        if is_found {
            return Ok(());
        }
        if limit.kind == LimitKind::Overload {
            self.overloads = self.overloads.saturating_add(1);
            if self.overloads > OVERLOADS_MAX {
                let words = &limit.words;
                return Err(passing(format!(
                    "its service has been too busy for hours: {words}"
                )));
            }
        }
        let rules = limits::rules(&self.team.kit.settings);
        let until_ms = limit_until(limit, self.overloads, &rules, now_ms());
        if limit.kind == LimitKind::Usage {
            let account = Account::of(&self.team.settings);
            if let Err(error) = limits::note(&account, until_ms, &limit.words) {
                // This team waits nevertheless; the others will find out by themselves.
                let why = sentence(&error);
                eprintln!("kumite: other runs cannot be told of the usage limit: {why}");
            }
        }
        self.wait_until(until_ms, &limit.words)
    }

    fn wait_until(&mut self, until_ms: u64, words: &str) -> Result<(), Failed> {
        let rules = limits::rules(&self.team.kit.settings);
        if !rules.wait {
            let why = format!("limited until {}: {words}", local_moment(until_ms));
            return Err(failed(Failure::Lasting, why));
        }
        let wake_ms = until_ms.saturating_add(jitter(self.seed(), rules.jitter_ms));
        let since_ms = now_ms();
        let is_cancelled = loop {
            let left = Duration::from_millis(wake_ms.saturating_sub(now_ms()));
            if left.is_zero() {
                break false;
            }
            if self.turn.cancel.wait(left.min(LOOK_EVERY)) {
                break true;
            }
        };
        self.used.waited_ms += now_ms().saturating_sub(since_ms);
        match is_cancelled {
            true => Err(cancelled()),
            false => Ok(()),
        }
    }

    /// Different for every team.
    fn seed(&self) -> u64 {
        let letters = self
            .turn
            .contest_id
            .bytes()
            .chain(self.turn.team_id.bytes());
        letters.fold(u64::from(self.turn.round), |seed, letter| {
            seed.wrapping_mul(31).wrapping_add(u64::from(letter))
        })
    }
}
