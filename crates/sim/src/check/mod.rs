//! The checkers look for broken rules. They see only the trace, so they do not depend on the code
//! that they check. The checkers here are for every machine; each story adds its own.

use std::collections::{BTreeMap, VecDeque};

use kumite_core::engine::EffectKey;

use crate::story::{Effect, Story};
use crate::trace::{TraceLine, What};

mod journal;
pub mod limits;
mod processes;

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

/// The checkers of one story.
pub trait Checks<S: Story>: Default {
    /// `replica` is the machine that the line is about, after that line.
    fn see(&mut self, line: &TraceLine<S>, replica: &Replica<S>, counts: &mut Counts) -> Verdict;
}

/// A machine rebuilt from its journal, entry by entry, independent of the host.
pub struct Replica<S: Story> {
    pub machine: S::Machine,
    pub seq: u64,
    /// The effects of the last entry.
    pub effects: Vec<Effect<S>>,
    /// Decided effects that are not carried out yet.
    due: VecDeque<(EffectKey, Effect<S>)>,
    /// A new process may repeat the effects of the last entry.
    may_repeat: bool,
}

impl<S: Story> Replica<S> {
    pub fn new(machine: S::Machine) -> Replica<S> {
        Replica {
            machine,
            seq: 0,
            effects: Vec::new(),
            due: VecDeque::new(),
            may_repeat: false,
        }
    }
}

/// All checkers, and the trace so far if somebody wants to see it.
pub struct Watch<S: Story> {
    fresh: S::Machine,
    replicas: Vec<Replica<S>>,
    processes: processes::Processes<S>,
    limits: limits::Limits,
    own: S::Checks,
    broken: Option<Broken>,
    kept: Option<Vec<TraceLine<S>>>,
    pub counts: Counts,
}

/// What the trace contained.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub entries: u64,
    pub agents: u64,
    pub crashes: u64,
    pub virtual_ms: u64,
    /// What only this story counts.
    pub own: BTreeMap<&'static str, u64>,
    /// How often each reason ended a run or a team.
    pub reasons: BTreeMap<&'static str, u64>,
}

impl<S: Story> Watch<S> {
    /// `fresh` is a machine before its first entry.
    pub fn new(fresh: S::Machine, keep: bool) -> Watch<S> {
        Watch {
            fresh,
            replicas: Vec::new(),
            processes: processes::Processes::default(),
            limits: limits::Limits::default(),
            own: S::Checks::default(),
            broken: None,
            kept: keep.then(Vec::new),
            counts: Counts::default(),
        }
    }

    pub fn see(&mut self, line: TraceLine<S>) {
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

    pub fn replica(&self, machine: usize) -> &S::Machine {
        &self.replicas[machine].machine
    }

    pub fn lines(self) -> Vec<TraceLine<S>> {
        self.kept.unwrap_or_default()
    }

    fn judge(&mut self, line: &TraceLine<S>) -> Verdict {
        match &line.what {
            What::Began(terms) => {
                let fresh = || Replica::new(self.fresh.clone());
                self.replicas.resize_with(terms.machines, fresh);
            }
            What::Crashed { .. } => self.replicas.iter_mut().for_each(Replica::forget),
            _ => {}
        }
        let replica = &mut self.replicas[line.machine];
        replica.see(line)?;
        self.counts.see(line);
        self.processes.see(line)?;
        self.own.see(line, replica, &mut self.counts)?;
        self.limits.see(line)?;
        match line.what {
            What::Over {
                out_of_patience: true,
            } => broken(
                "everything ends once faults have stopped",
                "something still goes on",
            ),
            _ => Ok(()),
        }
    }
}

impl Counts {
    fn see<S: Story>(&mut self, line: &TraceLine<S>) {
        self.virtual_ms = line.at_ms;
        match &line.what {
            What::Recorded(_) => self.entries += 1,
            What::Started(..) => self.agents += 1,
            What::Crashed { .. } => self.crashes += 1,
            _ => {}
        }
    }

    pub fn count(&mut self, what: &'static str) {
        *self.own.entry(what).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.own.get(what).copied().unwrap_or(0)
    }

    pub fn add(&mut self, other: &Counts) {
        self.entries += other.entries;
        self.agents += other.agents;
        self.crashes += other.crashes;
        self.virtual_ms += other.virtual_ms;
        add(&mut self.own, &other.own);
        add(&mut self.reasons, &other.reasons);
    }
}

fn add(mine: &mut BTreeMap<&'static str, u64>, theirs: &BTreeMap<&'static str, u64>) {
    for (what, count) in theirs {
        *mine.entry(what).or_default() += count;
    }
}
