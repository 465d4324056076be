//! Untracked files that a worktree needs, such as `.env.test`. git ignores them there, so that
//! nobody commits them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use kumite_files::{Access, Durable, replace};
use kumite_git::{Repository, Worktree};

use super::suit::{Hindrance, conflict};
use crate::crash;
use crate::project::Spec;

/// In the run's directory: what git ignores in the worktree besides the usual.
const EXCLUDES: &str = "excludes";
/// What follows this line are the copied files.
const HEAD: &str = "# copied by kumite";

/// The variables with which git, also that of an agent, ignores the copied files of a worktree.
/// There are none if nothing was copied.
pub fn env(spec: &Spec) -> Vec<(String, String)> {
    let path = spec.run_dir().join(EXCLUDES);
    if !path.is_file() {
        return Vec::new();
    }
    // kumite passes none of its own GIT_ variables on, so there are no others to count.
    let set = [
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", "core.excludesFile".to_owned()),
        ("GIT_CONFIG_VALUE_0", path.display().to_string()),
    ];
    set.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The same for kumite's own git.
pub fn excluding(spec: &Spec, worktree: Worktree) -> Worktree {
    let path = spec.run_dir().join(EXCLUDES);
    match path.is_file() {
        true => worktree.excluding(path),
        false => worktree,
    }
}

pub fn remove(spec: &Spec) {
    let _ = fs::remove_file(spec.run_dir().join(EXCLUDES));
}

/// Copies what matches `globs` from the checkout.
pub fn copy(
    spec: &Spec,
    worktree: &Worktree,
    globs: &[String],
    say: &dyn Fn(&str),
) -> Result<(), Hindrance> {
    if globs.is_empty() {
        return Ok(());
    }
    let repository = worktree.repository();
    let found = find(spec, repository, globs, say)?;
    let earlier = fs::read_to_string(spec.run_dir().join(EXCLUDES)).unwrap_or_default();
    let mut text = persons(repository);
    text.push_str(&format!("\n{HEAD}\n"));
    let lines: Vec<String> = found.iter().filter_map(|it| pattern(it)).collect();
    text.push_str(&lines.join("\n"));
    text.push('\n');
    let file = spec.run_dir().join(EXCLUDES);
    let written = replace(&file, text.as_bytes(), Durable::Machine, Access::Private);
    written.map_err(|error| conflict(&error))?;
    crash::point(format_args!("place excludes"));
    let is_open = |path: &&PathBuf| !is_blocked(worktree.root(), path);
    let open = found.iter().filter(is_open);
    let ignored = ignored(&excluding(spec, worktree.clone()), open);
    for path in &found {
        let to = worktree.root().join(path);
        let is_earlier = || pattern(path).is_some_and(|it| earlier.lines().any(|line| line == it));
        let why = if fs::symlink_metadata(&to).is_ok() && !is_earlier() {
            Some("the worktree has a file of that name".to_owned())
        } else if is_blocked(worktree.root(), path) {
            Some("a link or a file is in the way".to_owned())
        } else if !ignored.contains(path) {
            Some("git would not ignore it there, so it could be committed".to_owned())
        } else {
            one(repository.top(), worktree.root(), path)
                .err()
                .map(|it| it.to_string())
        };
        if let Some(why) = why {
            say(&format!("{} was not copied: {why}", path.display()));
        }
    }
    Ok(())
}

/// The files to copy, relative to the top of the checkout.
fn find(
    spec: &Spec,
    repository: &Repository,
    globs: &[String],
    say: &dyn Fn(&str),
) -> Result<BTreeSet<PathBuf>, Hindrance> {
    let mut all = BTreeSet::new();
    // Documents of specs have their own way into a worktree.
    let specs = repository.prefix().join(".kiro/specs");
    for glob in globs {
        let files = repository.untracked(glob);
        let mut files = files.map_err(|error| conflict(&error))?;
        files.retain(|path| !path.starts_with(&specs));
        if files.is_empty() {
            say(&format!(
                "`copy` in [worktree]: no untracked file matches {glob}"
            ));
        }
        for path in files {
            // A directory is a nested repository.
            match path.as_os_str().as_bytes().ends_with(b"/") {
                true => say(&format!(
                    "{} is a repository of its own: not copied",
                    path.display()
                )),
                false => drop(all.insert(path)),
            }
        }
    }
    tracing::debug!(spec = spec.name, files = all.len(), "files to copy");
    Ok(all)
}

/// Which of these paths git ignores in the worktree.
fn ignored<'a>(worktree: &Worktree, paths: impl Iterator<Item = &'a PathBuf>) -> BTreeSet<PathBuf> {
    let mut names = Vec::new();
    for path in paths {
        names.extend_from_slice(path.as_os_str().as_bytes());
        names.push(0);
    }
    // It fails if it ignores none of them.
    let asked = worktree.git().ok();
    let told = asked.and_then(|git| git.feed(&["check-ignore", "-z", "--stdin"], &names).ok());
    let told = told.unwrap_or_default();
    let told = told.split(|byte| *byte == 0).filter(|it| !it.is_empty());
    told.map(|it| PathBuf::from(OsStr::from_bytes(it)))
        .collect()
}

/// Copies one file with its mode. Nothing leads out of the worktree.
fn one(from_top: &Path, to_top: &Path, path: &Path) -> io::Result<()> {
    let (from, to) = (from_top.join(path), to_top.join(path));
    fs::create_dir_all(to.parent().unwrap_or(to_top))?;
    if fs::symlink_metadata(&to).is_ok() {
        fs::remove_file(&to)?;
    }
    let found = fs::symlink_metadata(&from)?;
    if found.is_symlink() {
        let target = fs::read_link(&from)?;
        let dir = path.parent().unwrap_or(Path::new(""));
        return match stays_inside(&dir.join(&target)) {
            true => symlink(target, to),
            false => Err(io::Error::other(
                "it is a link that leads out of the checkout",
            )),
        };
    }
    match found.is_file() {
        true => fs::copy(from, to).map(|_| ()),
        false => Err(io::Error::other("it is not a plain file")),
    }
}

/// Whether the way to a file goes through something other than directories.
fn is_blocked(top: &Path, path: &Path) -> bool {
    let dirs = path.ancestors().skip(1).map(|dir| top.join(dir));
    let mut found = dirs.filter_map(|dir| fs::symlink_metadata(dir).ok());
    found.any(|found| !found.is_dir())
}

fn stays_inside(path: &Path) -> bool {
    let mut depth = 0_i64;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

/// A line that means exactly this file. `None`: a line cannot say it.
fn pattern(path: &Path) -> Option<String> {
    let path = path.to_str().filter(|path| !path.contains(['\n', '\r']))?;
    let mut line = "/".to_owned();
    for letter in path.chars() {
        if matches!(letter, '*' | '?' | '[' | '\\' | ' ') {
            line.push('\\');
        }
        line.push(letter);
    }
    Some(line)
}

/// The person's own ignored files: git reads only one file of this kind.
fn persons(repository: &Repository) -> String {
    let ask = ["config", "--type=path", "--get", "core.excludesFile"];
    let set = repository.git().run(&ask).ok();
    let set = set.map(|told| PathBuf::from(OsStr::from_bytes(told.trim_ascii())));
    let usual = || {
        let dir = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let config = dir("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.or_else(|| dir("HOME").map(|it| PathBuf::from(it).join(".config")));
        config.map(|config| config.join("git/ignore"))
    };
    let path = set.or_else(usual);
    let bytes = path.and_then(|path| fs::read(path).ok());
    bytes.map_or_else(String::new, |it| String::from_utf8_lossy(&it).into_owned())
}
