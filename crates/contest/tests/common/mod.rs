//! A project in its own git repository.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(dead_code, reason = "each test file uses its part")]

pub mod agents;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kumite_contest::worktree::{TeamWorktree, path_of};
use kumite_git::Repository;
use tempfile::TempDir;

/// A repository with one commit: `a.txt`, `dir/b.txt`, and a `.gitignore`.
pub struct Project {
    dir: TempDir,
}

impl Project {
    pub fn new() -> Project {
        let project = Project {
            dir: TempDir::new().unwrap(),
        };
        project.git(&["init", "--quiet"]);
        project.write("a.txt", "one\ntwo\nthree\n");
        project.write("dir/b.txt", "b\n");
        project.write(".gitignore", "*.o\n.kiro/runtime\n");
        project.git(&["add", "."]);
        project.git(&["commit", "--quiet", "-m", "first"]);
        project
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        write(self.root(), name, text);
    }

    pub fn read(&self, name: &str) -> String {
        read(self.root(), name)
    }

    pub fn git(&self, args: &[&str]) -> String {
        git(self.root(), args)
    }

    pub fn contest_dir(&self) -> PathBuf {
        self.path(".kiro/runtime/kumite/contests/c1")
    }

    pub fn repository(&self) -> Repository {
        Repository::of(self.root()).unwrap()
    }

    pub fn worktree(&self, number: usize) -> TeamWorktree {
        let repository = self.repository();
        let base = repository.head().unwrap();
        TeamWorktree::new(
            repository,
            path_of(&self.contest_dir(), number, "Team A"),
            base,
        )
    }

    /// The paths of all worktrees according to git, the main checkout first.
    pub fn worktrees(&self) -> Vec<String> {
        let told = self.git(&["worktree", "list", "--porcelain"]);
        let paths = told
            .lines()
            .filter_map(|line| line.strip_prefix("worktree "));
        paths.map(str::to_owned).collect()
    }

    /// A program of the project, executable.
    pub fn program(&self, name: &str, script: &str) -> PathBuf {
        self.write(name, &format!("#!/bin/sh\n{script}\n"));
        let path = self.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

pub fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub fn read(dir: &Path, name: &str) -> String {
    let path = dir.join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// git as a person runs it.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(["-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(dir)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every file of a checkout with its content, except git's own.
pub fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(dir).unwrap().display().to_string();
            if name == ".git" || name == ".kiro" {
                continue;
            }
            let about = fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                open.push(path);
            } else if about.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.push((name, target.display().to_string().into_bytes()));
            } else {
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

pub fn until(what: &str, mut happens: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !happens() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// For a test that needs its own variables: `true` in a process that has them; otherwise that
/// process is run, and the test is over.
pub fn apart(test: &str, variables: &[(&str, &Path)]) -> bool {
    const APART: &str = "KUMITE_TEST_APART";
    if std::env::var_os(APART).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(APART, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    false
}
