//! The descendants of this process, written down while it lives. Without a cgroup nobody could tell
//! later where a process with a cleared environment came from, if we are killed.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::files::{self, FAMILY};
use crate::process::Identity;
use crate::tree;

const EVERY: Duration = Duration::from_secs(3);

pub struct Family<'a> {
    dir: &'a Path,
    /// Not needed with a cgroup, which knows its processes better.
    is_needed: bool,
    next: Option<Instant>,
    noted: Vec<Identity>,
}

impl<'a> Family<'a> {
    pub fn new(dir: &'a Path, is_needed: bool) -> Family<'a> {
        Family {
            dir,
            is_needed,
            next: None,
            noted: Vec::new(),
        }
    }

    /// Notes them from time to time, if they have changed.
    pub fn note(&mut self, now: Instant) {
        if !self.is_needed || self.next.is_some_and(|next| now < next) {
            return;
        }
        self.next = Some(now + EVERY);
        let mut family = tree::family(std::process::id());
        family.sort_unstable();
        if family != self.noted && files::write(self.dir, FAMILY, &family).is_ok() {
            self.noted = family;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::contain::Remains;

    /// Also on a machine with cgroups, where no supervisor needs the note.
    #[test]
    fn s5_a_process_that_cleared_its_environment_is_known_by_the_note() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("sleep")
            .arg("1000")
            .env_clear()
            .spawn()
            .unwrap();
        Family::new(dir.path(), true).note(Instant::now());
        let left = Remains::of(dir.path()).find();
        let found = left.iter().find(|left| left.process.pid == child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found.map(|found| found.by), Some("pid"), "{left:?}");
    }
}
