//! The simulated world: the whole project around the pure core, from one seed.
//!
//! A seed is a story: specs, slots, rules, agents good and bad, people, crashes. [`play`] plays it
//! to its end in virtual time while the checkers of [`check`] look at what happens. A failing seed
//! fails again, line by line, with [`trace`](trace()).
//!
//! All agents of a story share an account: a plan that is used up for a while, a service that is
//! too busy, a purse. In half of the stories that happens. An agent then ends at a limit, which it
//! reports well, badly or not at all; kumite notes it, holds the others back, and each run goes on
//! by its clock, which jumps over days. Chance of the account's own decides on all that, so a seed
//! without limits still means the story that it meant before there were any.
//!
//! Contests are stories of their own: see [`contest`].

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

/// What came of a seed, or of many.
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

/// A seed in which a rule did not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    pub seed: u64,
    pub broken: check::Broken,
    /// The last lines of the trace.
    pub tail: Vec<String>,
    /// What the command line needs besides the seed to play it again.
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
