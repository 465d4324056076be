//! Finding and ending processes by the mark in their environment: for those whose supervisor is
//! gone, and who therefore have no ancestor by which they could be found.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::{Identity, Process};
use crate::tree;

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often nobody has to be there: a process in the middle of an exec has no environment to read.
const LOOKS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// A process that carries the mark of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    pub process: Identity,
    /// What follows the prefix in its environment: the agent's id.
    pub agent: String,
    /// Its command line, arguments separated by spaces.
    pub command: String,
}

/// All processes but this one with an environment entry that starts with `prefix`
/// (`"KUMITE_AGENT="` finds the processes of all agents).
pub fn find_marked(prefix: &str) -> Vec<Marked> {
    let living = tree::all()
        .into_iter()
        .filter(|stat| !stat.zombie)
        .map(|stat| stat.identity);
    let others = living.filter(|process| process.pid != std::process::id());
    others
        .filter_map(|process| marked(process, prefix))
        .collect()
}

/// Kills every process whose environment holds exactly `marker` (`"KUMITE_AGENT=<id>"`), and what
/// descends from them, but never this one. Returns those that it ended.
pub fn sweep(marker: &str) -> Vec<Identity> {
    let deadline = Instant::now() + PATIENCE;
    let mut ended = BTreeSet::new();
    let mut empty_looks = 0;
    loop {
        // Again until nobody is left: they may have forked meanwhile.
        let targets = targets(marker);
        empty_looks = if targets.is_empty() {
            empty_looks + 1
        } else {
            0
        };
        if empty_looks == LOOKS || Instant::now() > deadline {
            return ended.into_iter().collect();
        }
        if targets.is_empty() {
            std::thread::park_timeout(BETWEEN_LOOKS);
        }
        let targets: Vec<Process> = targets.into_iter().filter_map(Process::open).collect();
        targets
            .iter()
            .for_each(|process| process.signal(Signal::KILL));
        for process in targets {
            if process.wait(Some(deadline.saturating_duration_since(Instant::now()))) {
                ended.insert(process.identity());
            }
        }
    }
}

fn targets(marker: &str) -> Vec<Identity> {
    let all = tree::all();
    let exact = |found: &Marked| found.agent.is_empty();
    let mut targets: Vec<Identity> = find_marked(marker)
        .into_iter()
        .filter(exact)
        .map(|found| found.process)
        .collect();
    let pids: Vec<u32> = targets.iter().map(|process| process.pid).collect();
    targets.extend(tree::descendants(&pids, &all));
    targets.retain(|process| process.pid != std::process::id());
    targets
}

fn marked(process: Identity, prefix: &str) -> Option<Marked> {
    let environ = fs::read(format!("/proc/{}/environ", process.pid)).ok()?;
    let rest = environ
        .split(|&byte| byte == 0)
        .find_map(|entry| entry.strip_prefix(prefix.as_bytes()))?;
    let command = fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
    let words: Vec<_> = command
        .split(|&byte| byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    Some(Marked {
        process,
        agent: String::from_utf8_lossy(rest).into_owned(),
        command: words.join(" ").trim_end().to_owned(),
    })
}
