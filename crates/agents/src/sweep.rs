//! Finds and ends processes by the mark in their environment: if their supervisor is gone, they
//! have no ancestor by which they could be found.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::{Identity, Process};
use crate::tree;

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many empty looks in a row are needed: a process in the middle of an exec has no readable
/// environment.
const LOOKS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// A process with the mark of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    pub process: Identity,
    /// The value after the prefix in its environment: the agent's id.
    pub agent: String,
    /// Its command line, arguments separated by spaces.
    pub command: String,
}

/// All processes but this one with an environment entry that starts with `prefix`
/// (`"KUMITE_AGENT="` finds the processes of all agents).
pub fn find_marked(prefix: &str) -> Vec<Marked> {
    others()
        .filter_map(|process| marked(process, prefix))
        .collect()
}

/// Ends the processes in `targets`, repeatedly until there are none: they may have forked
/// meanwhile. Returns the ended processes.
pub fn end_all(mut targets: impl FnMut() -> Vec<Identity>) -> Vec<Identity> {
    let deadline = Instant::now() + PATIENCE;
    let mut ended = BTreeSet::new();
    let mut empty_looks = 0;
    loop {
        let targets = targets();
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

/// All running processes but this one whose environment contains every one of these entries
/// exactly.
pub fn find_all_marked(entries: &[String]) -> Vec<Identity> {
    others()
        .filter(|process| entries.iter().all(|entry| is_marked(*process, entry)))
        .collect()
}

/// Whether its environment contains exactly this entry.
pub fn is_marked(process: Identity, entry: &str) -> bool {
    let environ = environ(process).unwrap_or_default();
    environ
        .split(|&byte| byte == 0)
        .any(|it| it == entry.as_bytes())
}

/// The command line of a process, arguments separated by spaces.
pub fn command(process: Identity) -> Option<String> {
    let command = fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
    let words: Vec<_> = command
        .split(|&byte| byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    Some(words.join(" ").trim_end().to_owned())
}

fn others() -> impl Iterator<Item = Identity> {
    let living = tree::all().into_iter().filter(|stat| !stat.zombie);
    living
        .map(|stat| stat.identity)
        .filter(|process| process.pid != std::process::id())
}

fn environ(process: Identity) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{}/environ", process.pid)).ok()
}

fn marked(process: Identity, prefix: &str) -> Option<Marked> {
    let environ = environ(process)?;
    let rest = environ
        .split(|&byte| byte == 0)
        .find_map(|entry| entry.strip_prefix(prefix.as_bytes()))?;
    Some(Marked {
        process,
        agent: String::from_utf8_lossy(rest).into_owned(),
        command: command(process)?,
    })
}
