//! Money: what may be spent, what is spent, and what running agents may still spend.
//!
//! Before an agent is started, the cost of its step is estimated and reserved; when it has ended,
//! its real cost replaces the reservation. No agent is started once a budget is reached.
//!
//! # How far a budget can be exceeded
//!
//! The cost of an agent is known only when it has ended, so a budget cannot be kept to the cent.
//!
//! - *A run* has one agent at a time, which is started only while money is left. So a run spends
//!   less than its budget plus the cost of the one step that crossed it. If the program stops by
//!   itself at the cap it was given, that is less than the budget plus one turn of the model.
//! - *A day* has as many agents as there are slots. When the last of them was started, the spent
//!   and
//!   the reserved money did not exceed the budget. So a day spends at most its budget plus what the
//!   agents running at that time cost beyond their reservations: `jobs` steps in the worst case.
//!
//! The property tests check the ledger against exactly these bounds. An agent that works over
//! midnight counts on the day on which it ends. A cost that no program reports (Codex and Gemini
//! report no price, a killed agent reports nothing) counts as nothing.

use std::collections::BTreeMap;

use crate::journal::AgentId;

/// The limits, in millionths of a US dollar. 0: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub run: u64,
    pub day: u64,
}

/// The assumed cost of a step without any history: ten cents.
pub const UNKNOWN: u64 = 100_000;

/// A request to start an agent.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub agent: AgentId,
    pub step: &'a str,
    /// The current date in the person's time zone.
    pub day: &'a str,
    /// What this run has spent so far.
    pub run_spent: u64,
    /// Whether its program reports what it costs.
    pub priced: bool,
}

/// The agent may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub reserved: u64,
    /// The most it may spend; `None` without a budget.
    pub cap: Option<u64>,
}

/// The agent may not start; the sentence names the spent budget, and the setting to raise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// What the agents of a project have cost, and what is reserved for running agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// By day.
    spent: BTreeMap<String, u64>,
    reserved: BTreeMap<AgentId, u64>,
    /// The highest cost of each step so far, by name.
    dearest: BTreeMap<String, u64>,
}

impl Ledger {
    /// Reserves the estimated cost of the step, unless a budget is reached.
    pub fn admit(&mut self, budget: Budget, ask: &Ask<'_>) -> Result<Granted, Refused> {
        self.leave(ask.agent);
        let (spent, reserved) = (self.spent_on(ask.day), self.reserved());
        let run_left = left(budget.run, ask.run_spent);
        let day_left = left(budget.day, spent.saturating_add(reserved));
        if run_left == Some(0) {
            return Err(Refused(run_spent(budget.run, ask.run_spent)));
        }
        if day_left == Some(0) {
            let at_work = self.reserved.values().filter(|micros| **micros > 0);
            return Err(Refused(day_spent(
                budget.day,
                spent,
                reserved,
                at_work.count(),
            )));
        }
        let cap = run_left.into_iter().chain(day_left).min();
        let reserved = self.estimate(ask.step, ask.priced);
        let reserved = reserved.min(cap.unwrap_or(u64::MAX));
        self.reserved.insert(ask.agent, reserved);
        Ok(Granted { reserved, cap })
    }

    /// Reserves for an agent that already works: one that was found again after a crash.
    pub fn hold(&mut self, agent: AgentId, step: &str, priced: bool) {
        let estimate = self.estimate(step, priced);
        self.reserved.entry(agent).or_insert(estimate);
    }

    /// The agent has ended: its cost replaces its reservation.
    pub fn settle(&mut self, agent: AgentId, day: &str, step: &str, cost: u64) {
        self.leave(agent);
        self.count(day, step, cost);
    }

    /// The agent does not work, or not here: its reservation is released.
    pub fn leave(&mut self, agent: AgentId) {
        self.reserved.remove(&agent);
    }

    /// Counts an agent that ended earlier.
    pub fn count(&mut self, day: &str, step: &str, cost: u64) {
        update(&mut self.spent, day, |spent| spent.saturating_add(cost));
        update(&mut self.dearest, step, |dearest| dearest.max(cost));
    }

    /// Forgets what was spent, but not the reservations: the past is about to be counted again.
    pub fn forget_past(&mut self) {
        self.spent.clear();
        self.dearest.clear();
    }

    pub fn spent_on(&self, day: &str) -> u64 {
        self.spent.get(day).copied().unwrap_or(0)
    }

    /// The sum of all reservations.
    pub fn reserved(&self) -> u64 {
        let all = self.reserved.values();
        all.fold(0, |sum, micros| sum.saturating_add(*micros))
    }

    /// The highest cost of this step so far, or else of any step.
    fn estimate(&self, step: &str, priced: bool) -> u64 {
        let known = |micros: &u64| *micros > 0;
        let of_step = self.dearest.get(step).copied().filter(known);
        let of_any = || self.dearest.values().copied().max().filter(known);
        match priced {
            true => of_step.or_else(of_any).unwrap_or(UNKNOWN),
            false => 0,
        }
    }
}

fn update(map: &mut BTreeMap<String, u64>, name: &str, change: impl Fn(u64) -> u64) {
    match map.get_mut(name) {
        Some(micros) => *micros = change(*micros),
        None => {
            map.insert(name.to_owned(), change(0));
        }
    }
}

/// What is left of a budget, if there is one.
fn left(budget: u64, used: u64) -> Option<u64> {
    (budget > 0).then(|| budget.saturating_sub(used))
}

fn run_spent(budget: u64, spent: u64) -> String {
    format!(
        "the budget of {} a run is spent ({}); raise budget.usd_per_run",
        dollars(budget),
        dollars(spent)
    )
}

fn day_spent(budget: u64, spent: u64, reserved: u64, at_work: usize) -> String {
    let budget_words = dollars(budget);
    let spent_words = dollars(spent);
    if spent >= budget {
        return format!(
            "the budget of {budget_words} a day is spent ({spent_words} today); \
             raise budget.usd_per_day"
        );
    }
    let agents = match at_work {
        1 => "1 agent".to_owned(),
        count => format!("{count} agents"),
    };
    format!(
        "the budget of {budget_words} a day is spent or reserved ({spent_words} spent today, {} \
         reserved for {agents} at work); wait for them or raise budget.usd_per_day",
        dollars(reserved)
    )
}

/// Money for people: cents, and more digits where they matter.
pub fn dollars(micros: u64) -> String {
    // Tiny amounts are written out, because they would look like zero.
    let places = if micros < 100 { 6 } else { 4 };
    let unit = 10_u64.pow(6 - places);
    let rounded = micros.saturating_add(unit / 2) / unit * unit;
    let text = format!("${}.{:06}", rounded / 1_000_000, rounded % 1_000_000);
    let cents = text.len() - 4;
    let below = text[cents..].trim_end_matches('0');
    format!("{}{below}", &text[..cents])
}

#[cfg(test)]
mod tests;
