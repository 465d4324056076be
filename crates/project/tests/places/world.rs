//! A repository with a project and the spec `login`, in a temporary directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kumite_core::place::{Place, Prepared};
use kumite_project::place::{self, Record, Wanted};
use kumite_project::project::{Project, Spec};
use tempfile::TempDir;

pub const DOCS: &str = ".kiro/specs/login";
pub const PLACE: &str = ".kiro/worktrees/specs/login";
pub const SPEC_JSON: &str = "{\n  \"feature_name\": \"login\",\n  \"mine\": [1]\n}\n";

pub struct World {
    dir: TempDir,
    /// The project's directory in the repository.
    prefix: PathBuf,
    pub wanted: Wanted,
}

pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        // It must not write the index by itself.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

impl World {
    /// The documents are committed.
    pub fn new() -> World {
        let world = World::untracked();
        world.commit("documents");
        world
    }

    /// The documents of the spec are untracked.
    pub fn untracked() -> World {
        let world = World::without_commit("");
        world.write("src/a.txt", "a\n");
        world.git(&["add", "src", ".kiro/.gitignore"]);
        world.git(&["commit", "--quiet", "-m", "first"]);
        world
    }

    pub fn without_commit(prefix: &str) -> World {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "--quiet", "-b", "main"]);
        World::at(dir, prefix)
    }

    pub fn without_git() -> World {
        World::at(tempfile::tempdir().unwrap(), "")
    }

    fn at(dir: TempDir, prefix: &str) -> World {
        let world = World {
            dir,
            prefix: prefix.into(),
            wanted: Wanted {
                branch: "feature/login".to_owned(),
                setup: Vec::new(),
                copy: Vec::new(),
                bytes_max: 0,
            },
        };
        let ignored = "runtime/\nlogs/\nworktrees/\nspecs/*/logs/\nevents.jsonl\n";
        world.write(".kiro/.gitignore", ignored);
        world.write(&format!("{DOCS}/spec.json"), SPEC_JSON);
        world.write(&format!("{DOCS}/tasks.md"), "- [ ] 1. One\n");
        world.write(&format!("{DOCS}/logs/agent.log"), "words\n");
        world.write(&format!("{DOCS}/events.jsonl"), "{}\n");
        world
    }

    /// The same again, elsewhere.
    pub fn copied(&self) -> World {
        let dir = tempfile::tempdir().unwrap();
        let copied = Command::new("cp")
            .args(["-a", "--", &format!("{}/.", self.top().display())])
            .arg(dir.path())
            .status();
        assert!(copied.unwrap().success());
        World {
            dir,
            prefix: self.prefix.clone(),
            wanted: self.wanted.clone(),
        }
    }

    pub fn top(&self) -> &Path {
        self.dir.path()
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join(&self.prefix)
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// A path in the spec's worktree.
    pub fn there(&self, path: &str) -> PathBuf {
        self.path(PLACE).join(&self.prefix).join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn git(&self, args: &[&str]) -> String {
        git(&self.root(), args)
    }

    pub fn commit(&self, words: &str) {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", words]);
    }

    pub fn project(&self) -> Project {
        Project::at(self.root())
    }

    pub fn spec(&self) -> Spec {
        self.project().spec_place(&"login".parse().unwrap())
    }

    pub fn record(&self) -> Record {
        Record::read(&self.spec())
    }

    pub fn prepare(&self) -> Prepared {
        self.prepare_from("").0
    }

    /// Also with what it says.
    pub fn prepare_from(&self, base: &str) -> (Prepared, String) {
        let said = std::cell::RefCell::new(String::new());
        let say = |words: &str| {
            said.borrow_mut().push_str(words);
            said.borrow_mut().push('\n');
        };
        let prepared = place::prepare_step(&self.spec(), &self.wanted, base, "impl-1", &say);
        (prepared.unwrap(), said.into_inner())
    }

    pub fn ready(&self) -> Place {
        match self.prepare() {
            Prepared::Ready(place) => place,
            other => panic!("{other:?}"),
        }
    }

    pub fn conflict(&self) -> String {
        match self.prepare() {
            Prepared::Conflict(why) => why,
            other => panic!("{other:?}"),
        }
    }

    pub fn checkout_because(&self) -> String {
        match self.prepare() {
            Prepared::Checkout(why) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Everything of the person's, byte for byte: index, HEAD, branches, stash, reflogs, settings.
    pub fn persons(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let git_dir = self.top().join(".git");
        let mut all = BTreeMap::new();
        let mut paths: Vec<PathBuf> = ["HEAD", "index", "refs", "logs", "packed-refs", "config"]
            .map(|name| git_dir.join(name))
            .into();
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
            } else if let Ok(bytes) = fs::read(&path) {
                all.insert(path, bytes);
            }
        }
        let ours = [
            git_dir.join("refs/heads/feature"),
            git_dir.join("refs/kumite"),
        ];
        all.retain(|path, _| !ours.iter().any(|it| path.starts_with(it)));
        all
    }

    pub fn fsck(&self) {
        git(self.top(), &["fsck", "--strict", "--no-dangling"]);
    }

    /// How many commits the branch has on top of `base`.
    pub fn commits_since(&self, base: &str) -> String {
        let range = format!("{base}..feature/login");
        self.git(&["rev-list", "--count", &range]).trim().to_owned()
    }
}
