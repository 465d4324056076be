//! Whether kumite's files can be where they belong: readable, writable, with space on the disk.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access, statvfs};

use super::{Finding, Remedy};
use kumite_project::project::Project;
use kumite_project::user;

/// What a run writes about itself before it needs more. With less it cannot even report that.
const ROOM_MIN: u64 = 64 * 1024;

pub fn examine(project: &Project) -> Vec<Finding> {
    let runs = project.runtime().join("runs");
    let dirs = [project.runtime(), runs.clone()].into_iter();
    let dirs = dirs.chain(entries(&runs)).chain(
        entries(&runs)
            .into_iter()
            .map(|run| run.join("agents"))
            .filter(|agents| agents.exists()),
    );
    let mut findings: Vec<Finding> = dirs.filter_map(|dir| unreadable(&dir)).collect();
    let place = existing(&project.runtime());
    findings.extend(unwritable(&place));
    let journals = entries(&runs)
        .into_iter()
        .map(|run| run.join("journal.jsonl"));
    findings.extend(journals.filter_map(|path| unwritable(&path)));
    findings.extend(full(&place));
    findings
}

/// Why it is unknown whether an engine is running, if that is so.
pub fn hidden_lock(project: &Project) -> Option<Finding> {
    let path = project.runtime().join("lock");
    let error = File::open(&path).err()?;
    (error.kind() != ErrorKind::NotFound).then(|| Finding {
        what: cannot_be_read(&path, &error),
        remedy: Remedy::Person(
            "a kumite may be at work, so nothing was ended; see to it that you may read it"
                .to_owned(),
        ),
    })
}

fn unreadable(dir: &Path) -> Option<Finding> {
    let error = fs::read_dir(dir).err()?;
    (error.kind() != ErrorKind::NotFound).then(|| Finding {
        what: cannot_be_read(dir, &error),
        remedy: Remedy::Person(
            "make it a directory that you may read; nothing in it was looked at".to_owned(),
        ),
    })
}

fn cannot_be_read(path: &Path, error: &io::Error) -> String {
    let whose = user::whose(path, error);
    format!("{}{whose} cannot be read: {error}", path.display())
}

fn unwritable(path: &Path) -> Option<Finding> {
    let error = access(path, Access::WRITE_OK).err()?;
    let error = io::Error::from(error);
    (error.kind() != ErrorKind::NotFound).then(|| Finding {
        what: format!(
            "{}{} cannot be written: {error}",
            path.display(),
            user::whose(path, &error)
        ),
        remedy: Remedy::Person("kumite can run nothing here until it can".to_owned()),
    })
}

fn full(dir: &Path) -> Option<Finding> {
    let disk = statvfs(dir).ok()?;
    let room = disk.f_bavail.saturating_mul(disk.f_frsize);
    let what = if room < ROOM_MIN {
        format!("the disk of {} is full ({room} bytes left)", dir.display())
    } else if disk.f_files > 0 && disk.f_favail == 0 {
        format!("the disk of {} has no room for another file", dir.display())
    } else {
        return None;
    };
    let advice = "make room; `kumite resume` then goes on where it stopped";
    Some(Finding {
        what,
        remedy: Remedy::Person(advice.to_owned()),
    })
}

/// The directory itself, or the nearest one above it that exists.
fn existing(dir: &Path) -> PathBuf {
    let found = dir.ancestors().find(|dir| dir.exists());
    found.unwrap_or(dir).to_owned()
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
