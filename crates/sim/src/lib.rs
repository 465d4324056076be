//! The simulated world around the pure core, from one seed.
//!
//! A seed is a story: agents good and bad, crashes, and what else belongs to its machine. There are
//! two kinds, and one world for both. In a [`specs::SpecStory`] people let several specs run, with
//! slots, rules and files; in a [`contest::ContestStory`] teams compete, with models, programs that
//! measure, a judge and a database. [`play`] plays a story to its end in virtual time while the
//! checkers watch. A failing seed fails again, line by line, with [`trace`](trace()).
//!
//! What both kinds share exists once: the queue of happenings and the crashes (`world.rs`), the
//! loop that records, decides and acts (`host.rs`), the agents (`processes.rs`), the trace, and the
//! checkers of [`check`]. `story.rs` says what a kind of story adds.

use std::fmt;

pub mod check;
pub mod contest;
pub mod faults;
mod host;
mod processes;
mod rng;
pub mod seeds;
pub mod specs;
mod story;
pub mod trace;
mod world;

pub use seeds::run;
pub use story::Story;

/// The result of a seed, or of many.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub seeds: u64,
    /// How many of them were also played without their crashes.
    pub twins: u64,
    pub counts: check::Counts,
    pub tally: faults::Tally,
}

impl Summary {
    fn add(&mut self, other: &Summary) {
        self.seeds += other.seeds;
        self.twins += other.twins;
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

const TAIL: usize = 40;

/// Plays one seed.
pub fn play<S: Story>(seed: u64) -> Result<Summary, Failure> {
    play_drawn(seed, || S::draw(seed))
}

/// Everything that happens in a seed, line by line.
pub fn trace<S: Story>(seed: u64) -> Vec<String> {
    trace_drawn(S::draw(seed))
}

fn play_drawn<S: Story>(seed: u64, draw: impl Fn() -> Drawn<S>) -> Result<Summary, Failure> {
    let world = world::play(draw(), false);
    let twin = match world.watch.broken() {
        Some(broken) => Err(broken.clone()),
        None => S::compare_with_twin(&world),
    };
    let is_twin = twin.map_err(|broken| {
        let lines = trace_drawn(draw());
        Failure {
            seed,
            broken,
            tail: lines[lines.len().saturating_sub(TAIL)..].to_vec(),
            flag: S::FLAG,
        }
    })?;
    Ok(Summary {
        seeds: 1,
        twins: u64::from(is_twin),
        counts: world.watch.counts,
        tally: world.tally,
    })
}

/// A story, and its source of chance.
type Drawn<S> = (S, rng::Rng);

fn trace_drawn<S: Story>(drawn: Drawn<S>) -> Vec<String> {
    let lines = world::play(drawn, true).watch.lines();
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
