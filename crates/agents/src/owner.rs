//! The owner of an agent that another user's kumite started.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{major, minor};

use crate::files::LOCK;

/// The user who owns an agent's directory, as far as other users can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub user: String,
    /// The pid of the supervisor, while it is running.
    pub pid: Option<u32>,
}

impl Owner {
    pub(crate) fn of(dir: &Path) -> Owner {
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let lock = fs::metadata(dir.join(LOCK)).ok();
        let place = lock.as_ref().map(|lock| {
            let (major, minor) = (major(lock.dev()), minor(lock.dev()));
            format!("{major:02x}:{minor:02x}:{}", lock.ino())
        });
        Owner {
            user: lock.or_else(|| fs::metadata(dir).ok()).map_or_else(
                || "somebody else".to_owned(),
                |found| name(&users, found.uid()),
            ),
            pid: place.and_then(|place| holder(&locks, &place)),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an agent of the user {}", self.user)?;
        match self.pid {
            Some(pid) => write!(f, " (pid {pid}); only {} can end it", self.user),
            None => write!(f, ", which has ended; only {} can go on with it", self.user),
        }
    }
}

/// The user's name in the lines of /etc/passwd, or else the number.
fn name(users: &str, uid: u32) -> String {
    let mut lines = users.lines().map(|line| line.split(':'));
    let found = lines.find_map(|mut fields| {
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    found.unwrap_or_else(|| uid.to_string())
}

/// The process that has locked the file at `place`, in the lines of /proc/locks.
fn holder(locks: &str, place: &str) -> Option<u32> {
    let mut lines = locks.lines().map(|line| line.split_whitespace().collect());
    lines.find_map(|fields: Vec<&str>| match fields[..] {
        [_, "FLOCK", _, _, pid, at, ..] if at == place => pid.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_read_from_what_everybody_may_read() {
        let users = "root:x:0:0:root:/root:/bin/sh\ndev:x:1001:100::/home/dev:/bin/sh\n";
        assert_eq!(name(users, 1001), "dev");
        assert_eq!(name(users, 1002), "1002");
        let locks = "1: POSIX  ADVISORY  READ 5 08:01:12 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 12547 08:01:131075 0 EOF\n";
        assert_eq!(holder(locks, "08:01:131075"), Some(12547));
        assert_eq!(holder(locks, "08:01:12"), None);
    }

    #[test]
    fn a_lock_that_is_held_names_its_process() {
        let dir = tempfile::tempdir().unwrap();
        let lock = crate::files::try_lock(dir.path()).unwrap();
        assert_eq!(Owner::of(dir.path()).pid, Some(std::process::id()));
        drop(lock);
        assert_eq!(Owner::of(dir.path()).pid, None);
    }
}
