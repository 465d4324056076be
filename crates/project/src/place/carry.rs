//! Takes the uncommitted documents of a spec from the checkout to its branch. They leave the
//! checkout only when the branch has them, so that nothing is lost, and the later merge finds
//! nothing in its way.

use std::fs;
use std::path::{Path, PathBuf};

use kumite_files::{Access, Durable, replace};
use kumite_git::{How, Repository, Uncommitted};

use super::record::Making;
use super::suit::{Hindrance, conflict, files_in};
use crate::crash;
use crate::fnv::fnv1a;
use crate::project::Spec;

/// The uncommitted documents of a spec, as they were found.
pub struct Documents(Vec<Document>);

struct Document {
    /// Relative to the top of the checkout.
    path: PathBuf,
    how: How,
    /// What was found, byte for byte; `None`: no plain file.
    bytes: Option<u64>,
}

impl Documents {
    pub fn find(spec: &Spec, repository: &Repository) -> Result<Documents, Hindrance> {
        let dir = files_in(spec, repository);
        let found = repository.uncommitted_in(&dir);
        let found = found.map_err(|error| conflict(&error))?;
        let mut documents = Vec::new();
        for Uncommitted { path, how } in found {
            let is_document = path.strip_prefix(&dir).is_ok_and(|it| !is_of_kumite(it));
            // A directory is a nested repository.
            if !is_document || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                continue;
            }
            if how == How::Unmerged {
                return Err(Hindrance::Conflict(format!(
                    "{} is in the middle of a merge; finish it first",
                    path.display()
                )));
            }
            documents.push(Document {
                bytes: bytes_of(&repository.top().join(&path)),
                path,
                how,
            });
        }
        Ok(Documents(documents))
    }

    /// Puts them on the branch, and makes it if it is not there yet.
    pub fn commit(
        &self,
        spec: &Spec,
        repository: &Repository,
        making: &Making,
    ) -> Result<(), Hindrance> {
        let files: Vec<&Path> = self.0.iter().map(|it| it.path.as_path()).collect();
        let words = format!("{}: documents", spec.name);
        let branch = &making.branch;
        let committed = || match repository.head_of(branch) {
            None => {
                // The branch may begin elsewhere than the checkout, where the documents are.
                let head = repository.head()?;
                let dir = files_in(spec, repository);
                let like = (head != making.commit).then_some((head.as_str(), dir.as_path()));
                let commit = repository.commit_files(&making.commit, like, &files, &words)?;
                crash::point(format_args!("place documents"));
                repository.create_branch(branch, &commit)
            }
            // After a crash: what is there already gives no second commit.
            Some(head) => match repository.commit_files(&head, None, &files, &words)? {
                commit if commit == head => Ok(()),
                commit => repository.move_branch(branch, &commit, &head),
            },
        };
        committed().map_err(|error| conflict(&error))
    }

    /// Removes from the checkout what `commit` has: files that git does not track go, and changes
    /// of files that it tracks are taken back. What is staged stays.
    pub fn leave_checkout(
        &self,
        spec: &Spec,
        repository: &Repository,
        commit: &str,
        say: &dyn Fn(&str),
    ) -> Result<(), Hindrance> {
        for document in &self.0 {
            match document.how {
                How::Untracked | How::Modified => {}
                // The index is the person's.
                How::Staged | How::Removed | How::Unmerged => continue,
            }
            if !document.is_in(repository, commit) {
                say(&format!(
                    "{} changed just now, so it stays in the checkout; the worktree has it as it \
                     was before",
                    document.path.display()
                ));
                continue;
            }
            document.leave(repository)?;
            crash::point(format_args!("place left {}", document.path.display()));
        }
        remove_empty(&repository.top().join(files_in(spec, repository)), false);
        Ok(())
    }
}

impl Document {
    /// Whether the file is still what was found, and the commit has exactly that.
    fn is_in(&self, repository: &Repository, commit: &str) -> bool {
        let object = repository.object_in(commit, &self.path);
        object.is_some()
            && repository.object_of(&self.path) == object
            && bytes_of(&repository.top().join(&self.path)) == self.bytes
    }

    fn leave(&self, repository: &Repository) -> Result<(), Hindrance> {
        let path = repository.top().join(&self.path);
        if self.how == How::Untracked {
            return fs::remove_file(&path).map_err(|error| conflict(&error));
        }
        // A link, or a file that was a link, stays as it is: it is not worth the risk.
        if self.bytes.is_none() {
            return Ok(());
        }
        let before = repository.checked_out(&self.path);
        let before = before.map_err(|error| conflict(&error))?;
        let back = replace(&path, &before, Durable::Machine, Access::Everybody);
        back.map_err(|error| conflict(&error))
    }
}

/// Logs and events stay in the checkout. Some names are those of writes that were interrupted.
fn is_of_kumite(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.starts_with("logs")
        || path == Path::new("events.jsonl")
        || (name.starts_with('.') && name.ends_with(".tmp"))
}

fn bytes_of(path: &Path) -> Option<u64> {
    let is_plain = fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    is_plain
        .then(|| fs::read(path).ok())
        .flatten()
        .as_deref()
        .map(fnv1a)
}

/// Removes empty directories. The one of the spec itself stays: its logs are there.
fn remove_empty(dir: &Path, also_itself: bool) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            remove_empty(&entry.path(), true);
        }
    }
    if also_itself {
        // It fails if something is in it.
        let _ = fs::remove_dir(dir);
    }
}
