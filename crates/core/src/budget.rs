//! Money: what may be spent, what is spent, and what the agents at work may yet spend.
//!
//! Before an agent is started, the cost of its step is estimated and reserved; when it has ended,
//! its cost takes the place of the reservation. Nobody is started once a budget is reached.
//!
//! # How far a budget can be exceeded
//!
//! What an agent costs is known when it has ended, so a budget cannot be kept to the cent.
//!
//! - *A run* has one agent at a time, which was started when something was left. So a run spends
//!   less than its budget and the cost of the one step that crossed it. Where the program ends by
//!   itself at the cap that it was told, that is less than the budget and one turn of the model.
//! - *A day* has as many agents as there are slots. When the last of them was started, what was
//!   spent and reserved did not exceed the budget. So a day spends at most its budget and what the
//!   agents that were at work then cost beyond their reservations: `jobs` steps at the worst.
//!
//! The property tests hold the ledger to exactly these bounds. An agent that works over midnight
//! counts on the day on which it ends. What no program tells (Codex and Gemini tell no price, a
//! killed agent tells nothing) counts nothing.

use std::collections::BTreeMap;

use crate::journal::AgentId;

/// What may be spent, in millionths of a US dollar. 0: as much as it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub run: u64,
    pub day: u64,
}

/// What a step costs of which nothing is known yet: ten cents.
pub const UNKNOWN: u64 = 100_000;

/// Somebody wants to start an agent.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub agent: AgentId,
    pub step: &'a str,
    /// Today, where the person is.
    pub day: &'a str,
    /// What this run has spent so far.
    pub run_spent: u64,
    /// Whether its program tells what it costs.
    pub priced: bool,
}

/// It may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub reserved: u64,
    /// What is left for it at most; `None` without a budget.
    pub cap: Option<u64>,
}

/// It may not; the sentence says which budget is spent, and what to raise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// What the agents of a project have cost, and what is reserved for those at work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// By day.
    spent: BTreeMap<String, u64>,
    reserved: BTreeMap<AgentId, u64>,
    /// The most that a step has ever cost, by its name.
    dearest: BTreeMap<String, u64>,
}

impl Ledger {
    /// Reserves what the step may cost, unless a budget is reached.
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

    /// Reserves for an agent that works already: one that was found again after a crash.
    pub fn hold(&mut self, agent: AgentId, step: &str, priced: bool) {
        let estimate = self.estimate(step, priced);
        self.reserved.entry(agent).or_insert(estimate);
    }

    /// The agent has ended: its cost takes the place of its reservation.
    pub fn settle(&mut self, agent: AgentId, day: &str, step: &str, cost: u64) {
        self.leave(agent);
        self.count(day, step, cost);
    }

    /// The agent does not work, or not here: its reservation is given back.
    pub fn leave(&mut self, agent: AgentId) {
        self.reserved.remove(&agent);
    }

    /// An agent that ended earlier.
    pub fn count(&mut self, day: &str, step: &str, cost: u64) {
        update(&mut self.spent, day, |spent| spent.saturating_add(cost));
        update(&mut self.dearest, step, |dearest| dearest.max(cost));
    }

    /// Forgets what was spent, and nothing of who works: it is about to be counted anew.
    pub fn forget_past(&mut self) {
        self.spent.clear();
        self.dearest.clear();
    }

    pub fn spent_on(&self, day: &str) -> u64 {
        self.spent.get(day).copied().unwrap_or(0)
    }

    /// What is reserved in all.
    pub fn reserved(&self) -> u64 {
        let all = self.reserved.values();
        all.fold(0, |sum, micros| sum.saturating_add(*micros))
    }

    /// The most that this step has cost so far, or else any step.
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

/// Money for people: cents, and what is below them where there is something.
pub fn dollars(micros: u64) -> String {
    // Amounts that would look like nothing are written out.
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
