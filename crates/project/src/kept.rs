//! Remembers the status of specs that rest, so that a page with a thousand of them, which is asked
//! for again and again, reads only the files that have changed.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kumite_core::names::Document;

use crate::evidence;
use crate::journal;
use crate::picture::{EngineSeen, Picture};
use crate::project::{Error, Project, Spec};
use crate::status::{Status, of_each};

/// A file that was changed more recently than this may change again without a trace: file systems
/// count time in steps.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub struct Kept {
    specs: RwLock<HashMap<String, KeptSpec>>,
}

#[derive(Clone, Debug)]
struct KeptSpec {
    marks: Marks,
    status: Status,
}

/// The files that the status of a resting spec is made from, each with its mark; no mark: there is
/// no such file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Marks(Vec<(PathBuf, Option<Mark>)>);

/// Differs whenever a file was written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    device: u64,
    inode: u64,
    size: u64,
    changed: Duration,
}

impl Kept {
    /// The same as [`crate::status::all`].
    pub fn all(&self, project: &Project) -> Result<Vec<Status>, Error> {
        let engine = EngineSeen::of(project);
        let specs = project.all_specs()?;
        let read = of_each(&specs, |spec| self.one(project, spec, &engine));
        let kept = read.iter().filter_map(|(status, marks)| {
            let (marks, status) = (marks.clone()?, status.clone());
            Some((status.spec.clone(), KeptSpec { marks, status }))
        });
        let kept = kept.collect();
        *self.specs.write().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(read.into_iter().map(|(status, _)| status).collect())
    }

    /// The status of a spec, with marks if it may be kept.
    fn one(&self, project: &Project, spec: &Spec, engine: &EngineSeen) -> (Status, Option<Marks>) {
        if let Some(KeptSpec { marks, status }) = self.known(&spec.name)
            && marks.still_hold()
        {
            return (status, Some(marks));
        }
        // Marks are taken before the files are read: a change in between is noticed the next time.
        let marks = Marks::of(spec);
        let picture = Picture::glance(spec.clone(), engine);
        let may_keep = rests_here(project, &picture) && marks.are_settled();
        (picture.status(), may_keep.then_some(marks))
    }

    fn known(&self, name: &str) -> Option<KeptSpec> {
        let specs = self.specs.read().unwrap_or_else(PoisonError::into_inner);
        specs.get(name).cloned()
    }
}

/// Whether the marked files are all that the status depends on: no engine, no agent and no other
/// checkout has a part in it.
fn rests_here(project: &Project, picture: &Picture) -> bool {
    picture.run.is_at_rest()
        && picture.agents.is_empty()
        && picture.trouble.is_none()
        && picture.facts().is_some()
        && picture.checkout == project.root()
}

impl Marks {
    fn of(spec: &Spec) -> Marks {
        let (dir, run) = (spec.main_dir(), spec.run_dir());
        let mut files = vec![
            // The directories tell of new, removed and renamed files.
            dir.to_owned(),
            run.join("agents"),
            // A worktree that appears there may be the one that counts.
            spec.usual_worktree(),
            journal::file_in(run),
            dir.join("spec.json"),
        ];
        files.extend(Document::ALL.map(|document| dir.join(document.file())));
        files.extend(evidence::inspection_files(dir));
        let marked = files.into_iter().map(|path| (Mark::of(&path), path));
        Marks(marked.map(|(mark, path)| (path, mark)).collect())
    }

    fn still_hold(&self) -> bool {
        self.0.iter().all(|(path, mark)| Mark::of(path) == *mark)
    }

    fn are_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let mut marks = self.0.iter().filter_map(|(_, mark)| *mark);
        marks.all(|mark| mark.changed + SETTLED < now)
    }
}

impl Mark {
    fn of(path: &Path) -> Option<Mark> {
        let metadata = fs::metadata(path).ok()?;
        // Unlike the time of modification, nobody can set this one.
        let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
        let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
        Some(Mark {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            changed: Duration::new(seconds, nanos),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::new_spec;

    fn tasks(statuses: &[Status]) -> u32 {
        statuses[0].tasks.total
    }

    #[test]
    fn a_spec_is_kept_when_its_files_have_settled_and_read_again_when_one_changes() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".kiro")).unwrap();
        let project = Project::at(dir.path());
        new_spec::create(&project, "a", "", "en").unwrap();
        let path = project.specs().join("a/tasks.md");
        fs::write(&path, "- [ ] 1. One\n").unwrap();
        let kept = Kept::default();
        // What was just written may change again within the same tick, so it is not kept.
        assert_eq!(tasks(&kept.all(&project).unwrap()), 1);
        assert!(kept.known("a").is_none());
        let deadline = Instant::now() + Duration::from_secs(30);
        while kept.known("a").is_none() {
            assert!(Instant::now() < deadline, "it is never kept");
            std::thread::park_timeout(Duration::from_millis(100));
            kept.all(&project).unwrap();
        }
        // What is kept is given out, whatever the files say, until one of them has another mark.
        kept.specs
            .write()
            .unwrap()
            .get_mut("a")
            .unwrap()
            .status
            .tasks
            .total = 7;
        assert_eq!(tasks(&kept.all(&project).unwrap()), 7);
        fs::write(&path, "- [x] 1. Two\n").unwrap();
        assert_eq!(tasks(&kept.all(&project).unwrap()), 1);
        let other = fs::read_to_string(project.specs().join("a/spec.json")).unwrap();
        new_spec::create(&project, "b", "", "en").unwrap();
        assert_eq!(kept.all(&project).unwrap().len(), 2);
        fs::write(project.specs().join("a/spec.json"), "{").unwrap();
        let all = kept.all(&project).unwrap();
        assert!(all[0].message.is_some(), "{all:?}");
        fs::write(project.specs().join("a/spec.json"), other).unwrap();
        assert!(kept.all(&project).unwrap()[0].message.is_none());
        fs::remove_dir_all(project.specs().join("a")).unwrap();
        assert_eq!(kept.all(&project).unwrap().len(), 1);
        assert!(kept.known("a").is_none());
    }
}
