//! Simulated contests: the rules of `kumite_core::contest` in a world that goes wrong.
//!
//! A seed is a story: teams, rules, answers good and bad, a database that fails for a while, clocks
//! that jump, a cancel, and a kumite that dies between any two of its acts and is started again.
//! The answers of a team, a metric, the judge and the database depend only on the seed and on the
//! question. So a story without limits of time and money is also played without its crashes:
//! the board must be the same.

use kumite_core::contest::board::{self, Standing};
use kumite_core::contest::{self, Contest, Effect, Entry};

use crate::Failure;
use crate::run::Sum;

mod agents;
mod answers;
mod ask;
pub mod check;
mod database;
pub mod faults;
mod hand;
mod host;
mod plan;
mod trace;
mod twin;
mod world;

#[cfg(test)]
mod tests;

use check::Watch;
use plan::Plan;

const FLAG: &str = "--contest ";

/// The rules under test. Some tests play wrong ones, and a checker must notice.
#[derive(Clone, Copy)]
pub struct Core {
    pub decide: fn(Contest, &Entry) -> (Contest, Vec<Effect>),
    pub winner: fn(&Contest) -> Option<u32>,
    pub standings: fn(&Contest) -> Vec<Standing>,
}

impl Default for Core {
    fn default() -> Core {
        Core::REAL
    }
}

impl Core {
    pub const REAL: Core = Core {
        decide: contest::decide,
        winner: board::winner,
        standings: board::standings,
    };
}

/// The result of a seed, or of many.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub seeds: u64,
    /// How many of them were also played without their crashes.
    pub twins: u64,
    pub counts: check::Counts,
    pub tally: faults::Tally,
}

impl Sum for Summary {
    fn add(&mut self, other: &Summary) {
        self.seeds += other.seeds;
        self.twins += other.twins;
        self.counts.add(&other.counts);
        self.tally.add(&other.tally);
    }
}

/// Plays one seed.
pub fn play(seed: u64) -> Result<Summary, Failure> {
    play_with(Core::REAL, seed)
}

fn play_with(core: Core, seed: u64) -> Result<Summary, Failure> {
    let world = world::play(core, Plan::draw(seed), Watch::new(core, false));
    let failure = |broken| Failure::new(seed, broken, FLAG, &trace_with(core, seed));
    if let Some(broken) = world.watch.broken().cloned() {
        return Err(failure(broken));
    }
    let is_twin = world.plan.is_repeatable && world.watch.counts.crashes > 0;
    if is_twin {
        twin::compare(core, &world).map_err(failure)?;
    }
    Ok(Summary {
        seeds: 1,
        twins: u64::from(is_twin),
        counts: world.watch.counts,
        tally: world.tally,
    })
}

/// Everything that happens in a seed, line by line.
pub fn trace(seed: u64) -> Vec<String> {
    trace_with(Core::REAL, seed)
}

fn trace_with(core: Core, seed: u64) -> Vec<String> {
    let world = world::play(core, Plan::draw(seed), Watch::new(core, true));
    let lines = world.watch.lines();
    lines.iter().map(ToString::to_string).collect()
}

/// A report of what was played, for a person.
pub fn report(summary: &Summary, seconds: f64) -> String {
    let counts = &summary.counts;
    let mut text = format!(
        "{} contests in {seconds:.1} s ({:.0} per second), {} of them also without crashes: \
         {} entries, {} tries, {} rounds scored, {} crashes, {} days of virtual time\n",
        summary.seeds,
        summary.seeds as f64 / seconds,
        summary.twins,
        counts.entries,
        counts.tries,
        counts.scored,
        counts.crashes,
        counts.virtual_ms / 86_400_000,
    );
    for kind in faults::Kind::ALL {
        text += &format!("{:>24} {}\n", format!("{kind:?}"), summary.tally.of(*kind));
    }
    for (reason, count) in contest::Reason::ALL.iter().zip(counts.reasons) {
        text += &format!("{:>24} {count}\n", reason.name());
    }
    text
}
