//! The checkers. They are independent: they see only the trace, and each can object.

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::run::Run;

use crate::trace::{Line, What};

mod ends;
mod evidence;
mod follows;
mod limits;
mod loops;
mod processes;
mod replay;
mod requests;
mod spent;

#[cfg(test)]
mod tests;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub rule: &'static str,
    pub sentence: String,
}

pub type Verdict = Result<(), Broken>;

pub fn broken(rule: &'static str, sentence: impl Into<String>) -> Verdict {
    let sentence = sentence.into();
    Err(Broken { rule, sentence })
}

/// A spec rebuilt from its journal, entry by entry, independent of the engine.
#[derive(Debug, Default)]
pub struct Replica {
    pub run: Run,
    pub seq: u64,
    pub effects: Vec<Effect>,
}

impl Replica {
    /// What the last entry has written to spec.json.
    pub fn saves(&self) -> impl Iterator<Item = &Change> {
        self.effects.iter().flat_map(|effect| match effect {
            Effect::Save(changes) => changes.as_slice(),
            Effect::Announce(_)
            | Effect::Launch(_)
            | Effect::Limit(_)
            | Effect::End(_)
            | Effect::Settle(_) => &[],
        })
    }
}

/// All checkers, and the trace so far if it is wanted.
#[derive(Default)]
pub struct Watch {
    replicas: Vec<Replica>,
    processes: processes::Processes,
    loops: loops::Loops,
    requests: requests::Requests,
    evidence: evidence::Evidence,
    ends: ends::Ends,
    limits: limits::Limits,
    follows: follows::Follows,
    spent: spent::Spent,
    broken: Option<Broken>,
    kept: Option<Vec<Line>>,
    pub counts: Counts,
}

/// What the trace contained.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub entries: u64,
    pub launches: u64,
    pub rounds: u64,
    pub starts: u64,
    pub crashes: u64,
    pub waits: u64,
    pub virtual_ms: u64,
    /// How often each reason of the contract was the end of a run.
    pub reasons: [u64; ends::REASONS.len()],
}

/// The reasons that the contract names.
pub const REASONS: [&str; ends::REASONS.len()] = ends::REASONS;

impl Watch {
    pub fn new(keep: bool) -> Watch {
        Watch {
            kept: keep.then(Vec::new),
            ..Watch::default()
        }
    }

    pub fn see(&mut self, line: Line) {
        if self.broken.is_none() {
            self.broken = self.judge(&line).err();
        }
        if let Some(kept) = &mut self.kept {
            kept.push(line);
        }
    }

    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    pub fn lines(self) -> Vec<Line> {
        self.kept.unwrap_or_default()
    }

    fn judge(&mut self, line: &Line) -> Verdict {
        if let What::Began { specs, .. } = line.what {
            self.replicas.resize_with(specs, Replica::default);
        }
        let replica = &mut self.replicas[line.spec];
        replay::see(replica, line)?;
        self.counts.see(line);
        self.processes.see(line)?;
        self.loops.see(line, replica)?;
        self.requests.see(line, replica)?;
        self.evidence.see(line, replica)?;
        self.ends.see(line, replica)?;
        self.limits.see(line, replica)?;
        self.follows.see(line, replica)?;
        self.spent.see(line, replica)
    }
}

impl Counts {
    fn see(&mut self, line: &Line) {
        use kumite_core::journal::Event;
        use kumite_core::notice::Notice;
        self.virtual_ms = line.at_ms;
        match &line.what {
            What::Recorded(entry) => {
                self.entries += 1;
                self.starts += u64::from(matches!(entry.event, Event::StartRequested { .. }));
            }
            What::Started(..) => self.launches += 1,
            What::Crashed { .. } => self.crashes += 1,
            What::Announced(_, Notice::RoundEnded { .. }) => self.rounds += 1,
            What::Announced(_, Notice::LimitWaiting { .. }) => self.waits += 1,
            What::Announced(_, Notice::RunEnded { rest, .. }) => {
                let reason = ends::word(*rest);
                let known = ends::REASONS.iter().position(|known| *known == reason);
                if let Some(index) = known {
                    self.reasons[index] += 1;
                }
            }
            _ => {}
        }
    }

    pub fn add(&mut self, other: &Counts) {
        self.entries += other.entries;
        self.launches += other.launches;
        self.rounds += other.rounds;
        self.starts += other.starts;
        self.crashes += other.crashes;
        self.waits += other.waits;
        self.virtual_ms += other.virtual_ms;
        let pairs = self.reasons.iter_mut().zip(other.reasons);
        pairs.for_each(|(mine, theirs)| *mine += theirs);
    }
}

/// Checks a whole trace, for example a manipulated one.
pub fn check(lines: impl IntoIterator<Item = Line>) -> Verdict {
    let mut watch = Watch::new(false);
    lines.into_iter().for_each(|line| watch.see(line));
    match watch.broken {
        Some(broken) => Err(broken),
        None => Ok(()),
    }
}
