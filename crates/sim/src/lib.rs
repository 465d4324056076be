//! The simulated world: the whole project around the pure core, from one seed.
//!
//! A seed is a story: specs, slots, rules, agents good and bad, people, crashes. [`play`] plays it
//! to its end in virtual time while the checkers of [`check`] watch. A failing seed
//! fails again, line by line, with [`trace`](trace()).
//!
//! All agents of a story share an account: a plan that is used up for a while, a service that is
//! too busy, a purse. Half of the stories use this. An agent then ends at a limit, which it
//! reports well, badly or not at all; kumite notes it, holds the others back, and each run goes on
//! by its timer, which jumps over days. The account has its own source of chance, so a seed
//! without limits is still the same story as before limits existed.
//!
//! Contests are separate stories: see [`contest`].

use std::fmt;

mod account;
mod agents;
pub mod check;
pub mod contest;
mod deed;
mod disk;
pub mod faults;
mod host;
mod patient;
mod people;
mod processes;
mod rng;
mod tally;
pub mod trace;
mod truth;
mod waits;
mod world;

pub mod run;

pub use run::run;

use check::Watch;

/// The result of a seed, or of many.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub seeds: u64,
    pub counts: check::Counts,
    pub tally: faults::Tally,
}

impl run::Sum for Summary {
    fn add(&mut self, other: &Summary) {
        self.seeds += other.seeds;
        self.counts.add(&other.counts);
        self.tally.add(&other.tally);
    }
}

/// A seed in which a rule was broken.
#[derive(Clone, Debug)]
pub struct Failure {
    pub seed: u64,
    pub broken: check::Broken,
    /// The last lines of the trace.
    pub tail: Vec<String>,
    /// The flag that the command line needs to play it again, besides the seed.
    pub flag: &'static str,
}

impl Failure {
    fn new(seed: u64, broken: check::Broken, flag: &'static str, lines: &[String]) -> Failure {
        let tail = lines[lines.len().saturating_sub(TAIL)..].to_vec();
        Failure {
            seed,
            broken,
            tail,
            flag,
        }
    }
}

const TAIL: usize = 40;

/// Plays one seed.
pub fn play(seed: u64) -> Result<Summary, Failure> {
    let world = world::play(seed, Watch::new(false));
    match world.watch.broken().cloned() {
        None => Ok(Summary {
            seeds: 1,
            counts: world.watch.counts,
            tally: world.tally,
        }),
        Some(broken) => Err(Failure::new(seed, broken, "", &trace(seed))),
    }
}

/// Everything that happens in a seed, line by line.
pub fn trace(seed: u64) -> Vec<String> {
    let lines = world::play(seed, Watch::new(true)).watch.lines();
    lines.iter().map(ToString::to_string).collect()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let check::Broken { rule, sentence } = &self.broken;
        writeln!(f, "seed {} breaks a rule: {rule}", self.seed)?;
        writeln!(f, "  {sentence}")?;
        writeln!(f, "the last {} lines:", self.tail.len())?;
        for line in &self.tail {
            writeln!(f, "  {line}")?;
        }
        let (seed, flag) = (self.seed, self.flag);
        write!(
            f,
            "step by step: cargo xtask sim {flag}--seed {seed} --trace"
        )
    }
}

impl std::error::Error for Failure {}
