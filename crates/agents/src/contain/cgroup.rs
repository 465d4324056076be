//! A separate cgroup for each agent, if this user may create one.
//!
//! A process that is born in a cgroup stays in it, whatever it does to its parents, its session or
//! its environment. So it is the only way to find the processes of a killed supervisor that removed
//! all other marks. It costs a `mkdir`, an `open` and a slightly slower `clone` at the start, and a
//! `rmdir` at the end. Nothing depends on it: without it the supervisor alone contains the agent.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Access, AtFlags, Mode, OFlags, access, accessat, fstat, openat, statfs};
use serde::{Deserialize, Serialize};

use crate::process::Identity;

/// Where the file system is mounted: alone, or beside the older version.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// `CGROUP2_SUPER_MAGIC` of linux/magic.h.
const MAGIC: u64 = 0x6367_7270;
/// Nothing without this prefix is ever killed or removed.
const PREFIX: &str = "kumite-";

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cgroup, identified so that it is never confused with a later one at the same path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cgroup {
    path: PathBuf,
    /// Its inode: the kernel does not reuse the number until a reboot.
    id: u64,
}

/// The directory in which this process may create cgroups, or why there is none.
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
    /// Creates the cgroup of an agent; returns it with the descriptor for starting a child in it.
    pub fn create(home: &Path, agent: &str) -> io::Result<(Cgroup, OwnedFd)> {
        // Two projects may have agents with the same id, but not in the same process.
        let name = format!("{PREFIX}{agent}-{}", std::process::id());
        if name.contains('/') {
            return Err(ErrorKind::InvalidInput.into());
        }
        let path = home.join(name);
        fs::create_dir(&path)?;
        let opened = open_dir(&path).and_then(|dir| {
            // Without this file (before Linux 5.14) a cgroup cannot end its processes.
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

    /// All cgroups that any process has created there for this agent.
    pub fn all(home: &Path, agent: &str) -> Vec<Cgroup> {
        let begin = format!("{PREFIX}{agent}-");
        let paths = inner(home).into_iter().filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&begin))
        });
        paths
            .filter_map(|path| {
                let id = fstat(open_dir(&path).ok()?).ok()?.st_ino;
                Some(Cgroup { path, id })
            })
            .collect()
    }

    /// Its path; `None` if it is gone.
    pub fn path(&self) -> Option<&Path> {
        self.open().map(|_| self.path.as_path())
    }

    /// The processes in it.
    pub fn processes(&self) -> Vec<Identity> {
        // Held open, so that the paths below belong to this very cgroup.
        let Some(_dir) = self.open() else {
            return Vec::new();
        };
        let mut pids = Vec::new();
        collect(&self.path, &mut pids);
        pids.into_iter().filter_map(Identity::of).collect()
    }

    /// Kills all processes in it at once, including those being forked, but never this process.
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

    /// Removes it if it is empty, which only the kernel can know. `false`: it is not empty.
    pub fn remove(&self) -> bool {
        match self.open() {
            Some(_) => remove(&self.path),
            None => true,
        }
    }

    /// Ends all processes in it and removes it. `false`: some process did not end.
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

    /// The cgroup itself; `None` if it is gone, or was never ours.
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

/// An agent may have created cgroups inside its own: they are removed first.
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
