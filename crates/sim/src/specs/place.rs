//! Where a simulated spec is implemented: its worktree, what is in it, and what steps of kumite
//! have left there.

use std::collections::BTreeMap;

use kumite_core::facts::{Stamp, TaskFacts};
use kumite_core::journal::AgentId;
use kumite_core::place::{Content, Measured, Place, PlaceFacts, PlaceLook, Prepared};

use super::deed::Deed;

/// One version of the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Tells versions apart. 0: as it was before the story.
    pub number: u64,
    /// The commands that fail on it, a bit for each.
    pub faults: u8,
    /// A command that tidies files finds nothing to do.
    pub tidy: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worktree {
    #[default]
    None,
    /// It is being made, or that was interrupted.
    Half,
    Made,
}

/// What an agent can do to a worktree that kumite needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The files are there, and git cannot read them.
    Unreadable,
    /// spec.json does not name it any more.
    Unnamed,
}

/// What stands in the way of a worktree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    #[default]
    Free,
    /// There can be no worktrees here.
    NoGit,
    /// The branch belongs to something else.
    Taken,
    /// A command that should set it up fails.
    NoSetup,
}

/// Everything in a place at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    pub code: Code,
    pub protected: u64,
    pub docs: u64,
    pub tasks: TaskFacts,
    pub list: TaskList,
}

/// The texts of tasks: those of one writing of tasks.md, without the ones that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskList {
    written: u64,
    left: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Ground {
    pub worktree: Worktree,
    pub damage: Option<Damage>,
    pub way: Way,
    pub code: Code,
    pub protected: u64,
    /// Grows with every write to a document.
    pub docs: u64,
    pub checkpoints: BTreeMap<u64, Kept>,
    /// The content of each commit that kumite has made for a look.
    commits: Vec<Kept>,
    prepared: Option<(AgentId, Prepared)>,
    measured: Option<(AgentId, Measured)>,
}

impl Ground {
    pub fn suffer(&mut self, deed: Deed) {
        match deed {
            Deed::Code(code) => self.code = code,
            Deed::Protected(number) => self.protected = number,
            Deed::Damage(damage) => self.damage = Some(damage),
            Deed::Mend => self.damage = None,
            Deed::Worktree(worktree) => self.worktree = worktree,
            Deed::PutBack(kept) => {
                self.protected = kept.protected;
                self.docs += 1;
            }
            _ => self.docs += 1,
        }
    }

    /// `accepted` is the tree whose protected files a person has accepted.
    pub fn look(&mut self, now: Kept, accepted: Option<&str>) -> PlaceLook {
        match (self.worktree, self.damage) {
            (Worktree::None | Worktree::Half, _) | (_, Some(Damage::Unnamed)) => PlaceLook::None,
            (Worktree::Made, Some(Damage::Unreadable)) => {
                PlaceLook::Unreadable("git cannot read the worktree".to_owned())
            }
            (Worktree::Made, None) => {
                let differs = accepted.is_some_and(|tree| tree != protected_in(tree, now));
                PlaceLook::Seen(PlaceFacts {
                    content: self.commit(now),
                    protected: differs
                        .then(|| "Cargo.lock".to_owned())
                        .into_iter()
                        .collect(),
                })
            }
        }
    }

    /// The same content costs no new commit.
    pub fn commit(&mut self, now: Kept) -> Content {
        if self.commits.last() != Some(&now) {
            self.commits.push(now);
        }
        Content {
            commit: format!("c{}", self.commits.len() - 1),
            tree: format!("{}/{}/{}", now.protected, now.code.number, now.docs),
            code: Stamp::Fnv(now.code.number),
        }
    }

    /// kumite keeps a commit as a checkpoint.
    pub fn keep(&mut self, seq: u64, commit: &str) {
        let number = commit.strip_prefix('c').and_then(|it| it.parse().ok());
        let kept = number.and_then(|number: usize| self.commits.get(number));
        if let Some(kept) = kept {
            self.checkpoints.insert(seq, *kept);
        }
    }

    /// The step that makes the place leaves this.
    pub fn leaves_place(&mut self, agent: AgentId, prepared: Prepared) {
        self.prepared = Some((agent, prepared));
    }

    pub fn leaves_measure(&mut self, agent: AgentId, measured: Measured) {
        self.measured = Some((agent, measured));
    }

    pub fn prepared_by(&self, agent: AgentId) -> Option<Prepared> {
        let left = self.prepared.as_ref().filter(|(by, _)| *by == agent);
        left.map(|(_, prepared)| prepared.clone())
    }

    pub fn measured_by(&self, agent: AgentId) -> Option<Measured> {
        let left = self.measured.as_ref().filter(|(by, _)| *by == agent);
        left.map(|(_, measured)| measured.clone())
    }
}

/// `tree`, with the protected files of `now`.
fn protected_in(tree: &str, now: Kept) -> String {
    let rest = tree.split_once('/').map_or("", |(_, rest)| rest);
    format!("{}/{rest}", now.protected)
}

/// A place whose implementation begins with `begin`.
pub fn ready(begin: Content, made: bool) -> Prepared {
    Prepared::Ready(Place {
        path: ".kiro/worktrees/specs/s".to_owned(),
        branch: "feature/s".to_owned(),
        base: "main".to_owned(),
        made,
        begin,
    })
}

impl TaskList {
    pub fn new(written: u64, tasks: TaskFacts) -> TaskList {
        let left = match tasks {
            TaskFacts::Counted { total, .. } => total,
            TaskFacts::Unreadable => 0,
        };
        TaskList { written, left }
    }

    pub fn drop_last(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    pub fn texts(self) -> Vec<String> {
        let texts = (0..self.left).map(|number| format!("{}.{number}", self.written));
        texts.collect()
    }

    pub fn vanished(self, known: &[String]) -> Vec<String> {
        let now = self.texts();
        let gone = known.iter().filter(|text| !now.contains(text));
        gone.cloned().collect()
    }
}
