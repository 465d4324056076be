//! A cgroup of its own for each agent, where this user may make one.
//!
//! Who is born in a cgroup stays in it, whatever it does to its parents, its session or its
//! environment. So it is the one thing by which even those are found whose supervisor was killed.
//! It costs a `mkdir`, an `open` and a slightly slower `clone` at the start, and a `rmdir` at the
//! end. Nothing rests on it: without it an agent is contained by its supervisor alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Access, AtFlags, Mode, OFlags, access, accessat, fstat, openat, statfs};
use serde::{Deserialize, Serialize};

use crate::process::Identity;

/// Where the file system is: alone, or beside the older version.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// `CGROUP2_SUPER_MAGIC` of linux/magic.h.
const MAGIC: u64 = 0x6367_7270;
/// Nothing else is ever killed or removed.
const PREFIX: &str = "kumite-";

/// How long the dead may take to leave.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cgroup, named so that it is never mistaken for a later one in the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cgroup {
    path: PathBuf,
    /// Its inode: the kernel gives no number twice while it runs.
    id: u64,
}

/// The directory below which this process may make cgroups, or why there is none.
pub fn home() -> Result<PathBuf, String> {
    let own = fs::read_to_string("/proc/self/cgroup")
        .map_err(|error| format!("/proc/self/cgroup cannot be read: {error}"))?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let own = own.ok_or("this kernel has no cgroup v2")?;
    let mount = MOUNTS.iter().find(|mount| is_cgroup(mount));
    let mount = mount.ok_or("cgroup v2 is not mounted at /sys/fs/cgroup")?;
    if own.split('/').any(|part| part == "..") {
        return Err("the cgroup of this process is out of its sight".to_owned());
    }
    let home = Path::new(mount).join(own);
    match access(&home, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Ok(home),
        Err(error) => {
            let why = io::Error::from(error);
            Err(format!(
                "no cgroup can be made in {}: {why}",
                home.display()
            ))
        }
    }
}

#[allow(
    clippy::unnecessary_cast,
    reason = "its type differs from machine to machine"
)]
fn is_cgroup(path: impl AsRef<Path>) -> bool {
    statfs(path.as_ref()).is_ok_and(|found| found.f_type as u64 == MAGIC)
}

impl Cgroup {
    /// Makes the cgroup of an agent; with the descriptor that a child is started into.
    pub fn create(home: &Path, agent: &str) -> io::Result<(Cgroup, OwnedFd)> {
        // Two projects may have agents of the same id, but not in one process.
        let name = format!("{PREFIX}{agent}-{}", std::process::id());
        if name.contains('/') {
            return Err(ErrorKind::InvalidInput.into());
        }
        let path = home.join(name);
        fs::create_dir(&path)?;
        let opened = open_dir(&path).and_then(|dir| {
            // Without it (before Linux 5.14) a cgroup ends nobody.
            accessat(&dir, "cgroup.kill", Access::EXISTS, AtFlags::empty())?;
            let id = fstat(&dir)?.st_ino;
            Ok((id, dir))
        });
        match opened {
            Ok((id, dir)) => Ok((Cgroup { path, id }, dir)),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Where it is; `None` if it is gone.
    pub fn path(&self) -> Option<&Path> {
        self.open().map(|_| self.path.as_path())
    }

    /// Who is in it.
    pub fn processes(&self) -> Vec<Identity> {
        // Held open, so that what is read below the path is of this very cgroup.
        let Some(_dir) = self.open() else {
            return Vec::new();
        };
        let mut pids = Vec::new();
        collect(&self.path, &mut pids);
        pids.into_iter().filter_map(Identity::of).collect()
    }

    /// KILL to everyone in it at once, also to those who are just being born; never to ourselves.
    pub fn kill(&self) {
        let Some(dir) = self.open() else {
            return;
        };
        let processes = self.processes();
        if processes.iter().any(|it| it.pid == std::process::id()) {
            let others = processes.iter().filter(|it| it.pid != std::process::id());
            return others.for_each(|it| it.signal(rustix::process::Signal::KILL));
        }
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        if let Ok(file) = openat(&dir, "cgroup.kill", flags, Mode::empty()) {
            let _ = rustix::io::write(&file, b"1");
        }
    }

    /// Removes it if nobody is in it, which the kernel alone can know. `false`: somebody is.
    pub fn remove(&self) -> bool {
        match self.open() {
            Some(_) => remove(&self.path),
            None => true,
        }
    }

    /// Ends everyone in it and removes it. `false`: somebody did not go.
    pub fn end(&self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if self.remove() {
                return true;
            }
            if Instant::now() > deadline {
                return false;
            }
            self.kill();
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    /// The cgroup itself; `None` if it is gone, or was never one of ours.
    fn open(&self) -> Option<OwnedFd> {
        let name = self.path.file_name()?.to_str()?;
        if !name.starts_with(PREFIX) || !is_cgroup(&self.path) {
            return None;
        }
        let dir = open_dir(&self.path).ok()?;
        let found = fstat(dir.as_fd()).ok()?;
        (found.st_ino == self.id).then_some(dir)
    }
}

fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// An agent may have made cgroups in its own: they go first.
fn remove(path: &Path) -> bool {
    match fs::remove_dir(path) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(_) => {
            let inner = inner(path);
            !inner.is_empty()
                && inner.iter().all(|path| remove(path))
                && fs::remove_dir(path).is_ok()
        }
    }
}

fn collect(path: &Path, pids: &mut Vec<u32>) {
    let own = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    pids.extend(own.lines().filter_map(|line| line.parse::<u32>().ok()));
    inner(path).iter().for_each(|path| collect(path, pids));
}

fn inner(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_directory_that_is_no_cgroup_of_ours_is_never_touched() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("kumite-agent-1");
        fs::create_dir(&path).expect("a directory");
        let id = fs::metadata(&path).expect("its metadata").ino();
        let cgroup = Cgroup { path, id };
        assert!(cgroup.end());
        assert!(cgroup.path.exists());
        assert_eq!(cgroup.processes(), []);
    }
}
