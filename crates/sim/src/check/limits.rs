//! No agent begins during a limit, unless a person ends the wait early. Each wait has the right
//! length.

use kumite_core::journal::LimitRules;
use kumite_core::outcome::{Limit, LimitKind};

use super::{Verdict, broken};
use crate::story::Story;
use crate::trace::{TraceLine, What};

#[derive(Default)]
pub struct Limits {
    /// The end of the limit that all runs know about.
    noted_until_ms: u64,
}

impl Limits {
    pub fn see<S: Story>(&mut self, line: &TraceLine<S>) -> Verdict {
        match &line.what {
            What::Noted { until_ms } => self.noted_until_ms = self.noted_until_ms.max(*until_ms),
            What::CutShort => self.noted_until_ms = 0,
            What::Started(agent, task, _) if S::needs_account(*task) => {
                return begins(&agent.to_string(), line.clock_ms, self.noted_until_ms);
            }
            _ => {}
        }
        Ok(())
    }
}

pub fn begins(name: &str, now_ms: u64, until_ms: u64) -> Verdict {
    match now_ms < until_ms {
        false => Ok(()),
        true => broken(
            "no agent begins before a limit ends",
            format!("{name} begins at {now_ms} ms, and the limit ends at {until_ms} ms"),
        ),
    }
}

/// A plausible reset time is believed; any other wait is neither too short nor too long.
pub fn lasts(limit: &Limit, until_ms: u64, at_ms: u64, rules: &LimitRules) -> Verdict {
    let earliest = match limit.kind {
        LimitKind::Held => at_ms,
        LimitKind::Usage | LimitKind::Overload => at_ms.saturating_add(rules.min_ms),
    };
    let latest = at_ms.saturating_add(rules.max_ms.max(rules.min_ms));
    let sensible = earliest..=latest;
    let believed = limit
        .until_ms
        .filter(|until_ms| sensible.contains(until_ms));
    match sensible.contains(&until_ms) && believed.is_none_or(|believed| believed == until_ms) {
        true => Ok(()),
        false => broken(
            "a limit is waited for as reported, within reason",
            format!("at {at_ms} ms it said {limit:?}, and the wait lasts until {until_ms} ms"),
        ),
    }
}

/// A wait ends soon after its limit, and not before.
pub fn wakes(until_ms: u64, wake_ms: u64, rules: &LimitRules) -> Verdict {
    let rule = "a wait ends soon after its limit";
    match wake_ms.checked_sub(until_ms) {
        None => broken(
            rule,
            format!("it wakes {} ms too early", until_ms - wake_ms),
        ),
        Some(after_ms) if after_ms > rules.jitter_ms => {
            broken(rule, format!("it wakes {after_ms} ms after it"))
        }
        Some(_) => Ok(()),
    }
}
