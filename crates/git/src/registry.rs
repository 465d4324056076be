//! Which worktrees a repository knows, and how one is removed completely.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{Error, Repository};

/// In the git directory of a repository.
const WORKTREES: &str = "worktrees";

/// The content of a worktree's git directory when nothing is going on. Anything else is a merge, a
/// rebase, a lock of a killed git, and the like.
const AT_REST: [&str; 11] = [
    "COMMIT_EDITMSG",
    "FETCH_HEAD",
    "HEAD",
    "ORIG_HEAD",
    "commondir",
    "gitdir",
    "index",
    "kumite-index",
    "kumite-recorded",
    "logs",
    "refs",
];

/// git keeps others from a worktree with this file, also while it makes it.
const LOCKED: &str = "locked";

/// The locks that a killed git leaves.
const LOCKS: [&str; 2] = ["index.lock", "HEAD.lock"];

/// Removes all worktrees in the directory `place`, including those that a crash left half made, and
/// the directory itself. Missing ones are no error.
pub fn remove_below(repository: &Repository, place: &Path) -> Result<(), Error> {
    let _turn = turn(repository);
    let known = all(repository)?.into_iter().map(|(_, root)| root);
    let settled = resolved(place);
    let mut roots: Vec<PathBuf> = known.filter(|root| root.starts_with(&settled)).collect();
    roots.extend(entries(place)?);
    for root in roots {
        remove(repository, &root)?;
    }
    gone(place, fs::remove_dir(place))
}

/// Makes a new worktree, whatever is there now.
pub(crate) fn renew(repository: &Repository, root: &Path, commit: &str) -> Result<(), Error> {
    let _turn = turn(repository);
    remove(repository, root)?;
    if let Some(parent) = root.parent() {
        fs::create_dir_all(parent).map_err(|source| Error::Write {
            path: parent.to_owned(),
            source,
        })?;
    }
    let add = ["worktree", "add", "--detach", "--quiet"].map(AsRef::as_ref);
    let what = [root.as_os_str(), commit.as_ref()];
    repository.git().run(&[&add[..], &what].concat())?;
    Ok(())
}

/// Makes a worktree for this branch, without files: they may take long, and others wait here. The
/// directory is missing or empty.
pub(crate) fn add(repository: &Repository, root: &Path, branch: &str) -> Result<(), Error> {
    let _turn = turn(repository);
    if let Some(parent) = root.parent() {
        fs::create_dir_all(parent).map_err(|source| Error::Write {
            path: parent.to_owned(),
            source,
        })?;
    }
    let add = ["worktree", "add", "--quiet", "--no-checkout"].map(AsRef::as_ref);
    let what = [root.as_os_str(), branch.as_ref()];
    repository.git().run(&[&add[..], &what].concat())?;
    Ok(())
}

/// Removes a worktree, whatever is left of it, also of one that git was about to make.
pub(crate) fn remove_whole(repository: &Repository, root: &Path) -> Result<(), Error> {
    let _turn = turn(repository);
    remove(repository, root)?;
    for git_dir in unfinished(repository, root)? {
        gone(&git_dir, fs::remove_dir_all(&git_dir))?;
    }
    Ok(())
}

/// What a killed `git worktree add` leaves before it has written where the worktree is. git never
/// removes it, because it is locked.
fn unfinished(repository: &Repository, root: &Path) -> Result<Vec<PathBuf>, Error> {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let is_ours = |git_dir: &PathBuf| {
        let id = git_dir.file_name().unwrap_or_default().to_string_lossy();
        let number = id.strip_prefix(&*name);
        let link = fs::read(git_dir.join("gitdir")).unwrap_or_default();
        number.is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
            && link.is_empty()
            && git_dir.join(LOCKED).exists()
    };
    let known = entries(&repository.common().join(WORKTREES))?;
    Ok(known.into_iter().filter(is_ours).collect())
}

/// Whether git has not finished making it.
pub(crate) fn is_half_made(git_dir: &Path, root: &Path) -> bool {
    git_dir.join(LOCKED).exists() || !root.join(".git").exists()
}

/// git does not support two processes that change its worktrees at the same time, so they take
/// turns; on a file system without locks we go on without.
fn turn(repository: &Repository) -> Option<File> {
    let dir = File::open(repository.common()).ok()?;
    dir.lock().ok()?;
    Some(dir)
}

/// Removes one worktree, whatever is left of it.
fn remove(repository: &Repository, root: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(root).is_ok() {
        gone(root, fs::remove_dir_all(root).or_else(|_| by_force(root)))?;
    }
    // The repository may still know a worktree that is gone; no other one is touched.
    if find(repository, root)?.is_some() {
        let remove = ["worktree", "remove", "--force", "--force"].map(AsRef::as_ref);
        let args = [&remove[..], &[root.as_os_str()]].concat();
        repository.git().run(&args)?;
    }
    Ok(())
}

/// The git directory of the worktree at `root`, if the repository knows one there.
pub(crate) fn find(repository: &Repository, root: &Path) -> Result<Option<PathBuf>, Error> {
    let root = resolved(root);
    let mut all = all(repository)?.into_iter();
    Ok(all.find(|(_, at)| *at == root).map(|(git_dir, _)| git_dir))
}

/// Whether nothing is going on in a worktree, and its link leads to its git directory.
pub(crate) fn is_at_rest(git_dir: &Path, root: &Path) -> bool {
    let Ok(entries) = entries(git_dir) else {
        return false;
    };
    let is_usual = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| AT_REST.contains(&name))
    };
    is_linked(git_dir, root) && entries.iter().all(is_usual)
}

/// Repairs a worktree after an interruption.
pub(crate) fn settle(git_dir: &Path, root: &Path) -> Result<(), Error> {
    for lock in LOCKS.map(|lock| git_dir.join(lock)) {
        gone(&lock, fs::remove_file(&lock))?;
    }
    if is_linked(git_dir, root) {
        return Ok(());
    }
    let path = root.join(".git");
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(&path),
        false => fs::remove_file(&path),
    };
    gone(&path, removed)?;
    fs::write(&path, link(git_dir)).map_err(|source| Error::Write { path, source })
}

fn is_linked(git_dir: &Path, root: &Path) -> bool {
    let Ok(text) = fs::read_to_string(root.join(".git")) else {
        return false;
    };
    let target = text.trim().strip_prefix("gitdir:").map(str::trim);
    target.is_some_and(|target| resolved(&root.join(target)) == resolved(git_dir))
}

fn link(git_dir: &Path) -> String {
    format!("gitdir: {}\n", git_dir.display())
}

/// All worktrees besides the main checkout: git directory and root.
pub(crate) fn all(repository: &Repository) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    let known = entries(&repository.common().join(WORKTREES))?.into_iter();
    let with_root = known.filter_map(|git_dir| {
        let link = fs::read_to_string(git_dir.join("gitdir")).ok()?;
        let root = resolved(git_dir.join(link.trim()).parent()?);
        Some((git_dir, root))
    });
    Ok(with_root.collect())
}

/// One name for each place, even if it does not exist.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_owned(),
    }
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let trouble = |source| Error::Read {
        path: dir.to_owned(),
        source,
    };
    match fs::read_dir(dir) {
        Ok(entries) => {
            let paths = entries.map(|entry| Ok(entry.map_err(trouble)?.path()));
            paths.collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(trouble(error)),
    }
}

/// Some programs write-protect their files.
fn by_force(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        return fs::remove_file(path);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        by_force(&entry?.path())?;
    }
    fs::remove_dir(path)
}

pub(crate) fn gone(path: &Path, removed: io::Result<()>) -> Result<(), Error> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::Remove {
            path: path.to_owned(),
            source: error,
        }),
        _ => Ok(()),
    }
}
