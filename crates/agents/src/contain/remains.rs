//! The processes left from an agent whose supervisor died: how they are recognised, found, and
//! ended.

use std::collections::BTreeMap;
use std::path::Path;

use super::cgroup::Cgroup;
use super::orphans::orphans;
use crate::adopt::Claim;
use crate::files::{self, CLAIM, FAMILY, RECORD, REQUEST};
use crate::process::Identity;
use crate::request::{Record, Request};
use crate::sweep::{command, end_all, find_all_marked};
use crate::tree;

/// How the processes of one agent are recognised. No other process is ever touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// Environment entries; a process must have all of them.
    marks: Vec<String>,
    /// The agent itself, by pid and start time.
    agent: Option<Identity>,
    /// The descendants of its supervisor, as the supervisor noted them.
    family: Vec<Identity>,
    cgroup: Option<Cgroup>,
}

/// A process that is left over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub process: Identity,
    /// Its command line, arguments separated by spaces.
    pub command: String,
    /// How it was recognised: `mark`, `cgroup`, `pid`.
    pub by: &'static str,
}

impl Remains {
    /// Reads the agent's directory. A file that cannot be read counts as missing.
    pub fn of(dir: &Path) -> Remains {
        let request: Option<Request> = files::read(dir, REQUEST).ok().flatten();
        let record: Option<Record> = files::read(dir, RECORD).ok().flatten();
        let claim: Option<Claim> = files::read(dir, CLAIM).ok().flatten();
        Remains {
            marks: request.map(|request| request.marks()).unwrap_or_default(),
            agent: record.map(|record| record.agent),
            family: files::read(dir, FAMILY).ok().flatten().unwrap_or_default(),
            cgroup: claim.and_then(|claim| claim.cgroup),
        }
    }

    /// Processes that carry all of these environment entries.
    pub fn marked(marks: &[&str]) -> Remains {
        Remains {
            marks: marks.iter().map(|mark| (*mark).to_owned()).collect(),
            ..Remains::default()
        }
    }

    /// The processes that are left. Changes nothing.
    pub fn find(&self) -> Vec<Left> {
        let cgroup = self.cgroup.iter().flat_map(Cgroup::processes);
        let found = self.known().map(|process| (process, "pid"));
        let found = found.chain(cgroup.map(|process| (process, "cgroup")));
        let marked = self.find_marked().into_iter();
        let found = found.chain(marked.map(|process| (process, "mark")));
        // A process can be found in several ways; the map keeps the last one. Marks come last,
        // because everybody can check an environment.
        let found: BTreeMap<Identity, &str> = found.collect();
        let living = found.into_iter().filter(|(process, _)| process.is_alive());
        living
            .filter(|(process, _)| process.pid != std::process::id())
            .map(|(process, by)| Left {
                process,
                command: command(process).unwrap_or_default(),
                by,
            })
            .collect()
    }

    /// The agent's cgroup, if it still exists.
    pub fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_ref().and_then(Cgroup::path)
    }

    /// Kills the processes that are left, their descendants, and the orphans that this process has
    /// inherited, but never this process. Returns the ended processes when none is left.
    pub fn end(&self) -> Vec<Identity> {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        let ended = end_all(|| {
            let mut targets = self.find_marked();
            targets.extend(self.known());
            targets.extend(self.cgroup.iter().flat_map(Cgroup::processes));
            targets.extend(orphans());
            with_descendants(targets)
        });
        if let Some(cgroup) = &self.cgroup {
            cgroup.end();
        }
        ended
    }

    fn known(&self) -> impl Iterator<Item = Identity> {
        let known = self.agent.iter().chain(&self.family).copied();
        known.filter(|process| process.is_alive())
    }

    fn find_marked(&self) -> Vec<Identity> {
        match self.marks.is_empty() {
            true => Vec::new(),
            false => find_all_marked(&self.marks),
        }
    }
}

/// These processes and their descendants, but never this process.
pub fn with_descendants(mut targets: Vec<Identity>) -> Vec<Identity> {
    let pids: Vec<u32> = targets.iter().map(|process| process.pid).collect();
    if !pids.is_empty() {
        targets.extend(tree::descendants(&pids, &tree::all()));
    }
    targets.retain(|process| process.pid != std::process::id());
    targets.sort_unstable();
    targets.dedup();
    targets
}
