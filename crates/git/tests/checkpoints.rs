//! Checkpoints of a worktree, with the real git: exact, cheap, and nothing of the person's touched.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use kumite_git::{Repository, Worktree, remove_checkpoints};
use tempfile::TempDir;

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository with one commit, and a worktree of it.
struct World {
    dir: TempDir,
}

impl World {
    fn new() -> World {
        let world = World {
            dir: tempfile::tempdir().unwrap(),
        };
        let main = world.main();
        fs::create_dir(&main).unwrap();
        git(&main, &["init", "--quiet", "-b", "main"]);
        fs::write(main.join("a.txt"), "a\n").unwrap();
        fs::create_dir(main.join("dir")).unwrap();
        fs::write(main.join("dir/b.txt"), "b\n").unwrap();
        fs::write(main.join(".gitignore"), "*.log\ntarget/\n").unwrap();
        git(&main, &["add", "."]);
        git(&main, &["commit", "--quiet", "-m", "first"]);
        world.worktree().renew("HEAD").unwrap();
        world
    }

    fn main(&self) -> PathBuf {
        self.dir.path().join("main")
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("worktree")
    }

    fn worktree(&self) -> Worktree {
        Worktree::new(Repository::of(&self.main()).unwrap(), self.root())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn objects(&self) -> usize {
        let told = git(&self.main(), &["count-objects", "-v"]);
        let of = |name: &str| {
            let line = told.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim().parse::<usize>().unwrap()
        };
        of("count:") + of("in-pack:")
    }
}

/// Every file below `root` with its content: symbolic links, executable bits and all.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let found = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().to_owned();
            if found.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                all.insert(name, format!("-> {}", target.display()));
            } else if found.is_dir() {
                dirs.push(path);
            } else if name != Path::new(".git") {
                let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let mode = found.permissions().mode() & 0o111 != 0;
                all.insert(name, format!("{mode} {content}"));
            }
        }
    }
    all
}

#[test]
fn a_checkpoint_is_the_exact_content_and_comes_back() {
    let world = World::new();
    let worktree = world.worktree();
    world.write("a.txt", "changed\n");
    world.write("new/deep/c.txt", "c\n");
    world.write("with\nnewline", "odd\n");
    world.write("run.sh", "#!/bin/sh\n");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(world.root().join("run.sh"), executable).unwrap();
    symlink("a.txt", world.root().join("link")).unwrap();
    fs::remove_file(world.root().join("dir/b.txt")).unwrap();
    world.write("out.log", "ignored\n");
    let before = files(&world.root());
    let first = worktree.checkpoint("login", 1).unwrap();

    // A file where a directory was, a directory where a file was, and everything else changed.
    fs::remove_dir_all(world.root().join("new")).unwrap();
    world.write("new", "now a file\n");
    fs::remove_file(world.root().join("a.txt")).unwrap();
    world.write("a.txt/inside", "now a directory\n");
    world.write("more.txt", "more\n");
    fs::remove_file(world.root().join("link")).unwrap();
    let after = files(&world.root());
    let second = worktree.checkpoint("login", 2).unwrap();

    worktree.restore(&first).unwrap();
    assert_eq!(files(&world.root()), before);
    worktree.restore(&second).unwrap();
    assert_eq!(files(&world.root()), after);
    let known = worktree.checkpoints("login").unwrap();
    assert_eq!(known, BTreeMap::from([(1, first), (2, second)]));
    git(&world.main(), &["fsck", "--strict"]);
}

#[test]
fn unchanged_content_costs_no_new_object() {
    let world = World::new();
    let worktree = world.worktree();
    world.write("new.txt", "new\n");
    let first = worktree.checkpoint("login", 3).unwrap();
    let before = world.objects();
    let again = worktree.checkpoint("login", 4).unwrap();
    assert_eq!((again, world.objects()), (first, before));
}

/// Everything of the person's: HEAD, branches, stash, reflogs and index.
fn of_the_person(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let git_dirs = [
        world.main().join(".git"),
        world.worktree().git_dir().unwrap(),
    ];
    let mut all = Vec::new();
    for git_dir in git_dirs {
        let mut dirs = vec![git_dir.join("logs"), git_dir.join("refs/heads")];
        all.extend(
            ["HEAD", "index", "refs/stash", "packed-refs", "config"].map(|it| git_dir.join(it)),
        );
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).into_iter().flatten() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => dirs.push(path),
                    false => all.push(path),
                }
            }
        }
    }
    let read = |path: PathBuf| fs::read(&path).ok().map(|bytes| (path, bytes));
    all.into_iter().filter_map(read).collect()
}

#[test]
fn nothing_of_the_person_is_touched_and_no_hook_or_signature_gets_in() {
    let world = World::new();
    let (main, root) = (world.main(), world.root());
    for hook in [
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "pre-commit",
    ] {
        let path = main.join(".git/hooks").join(hook);
        fs::write(
            &path,
            format!("#!/bin/sh\ntouch {}/hooked\n", main.display()),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    git(&main, &["config", "commit.gpgsign", "true"]);
    git(&main, &["config", "gpg.program", "/bin/false"]);
    git(&main, &["config", "core.logAllRefUpdates", "always"]);
    git(&main, &["config", "status.showUntrackedFiles", "no"]);
    git(&main, &["config", "alias.status", "!false"]);
    // Half staged, stashed, and a file in both states.
    world.write("a.txt", "stashed\n");
    git(&root, &["stash", "--quiet"]);
    world.write("a.txt", "staged\n");
    git(&root, &["add", "a.txt"]);
    world.write("a.txt", "not staged\n");
    world.write("new.txt", "new\n");
    let _ = fs::remove_file(main.join("hooked"));

    let before = of_the_person(&world);
    let worktree = world.worktree();
    let checkpoint = worktree.checkpoint("login", 1).unwrap();
    worktree.restore(&checkpoint).unwrap();
    let after = of_the_person(&world);
    let differ: Vec<_> = after.iter().filter(|it| !before.contains(it)).collect();
    assert!(
        differ.is_empty() && after.len() == before.len(),
        "{differ:?}"
    );
    assert!(!main.join("hooked").exists());
    let shown = git(
        &main,
        &["show", "-s", "--format=%an %cn %s", &checkpoint.commit],
    );
    assert_eq!(shown, "kumite kumite login: content of the worktree\n");
    let text = git(&main, &["show", &format!("{}:a.txt", checkpoint.commit)]);
    assert_eq!(text, "not staged\n");
}

#[test]
fn what_an_agent_does_with_git_does_not_mislead_a_checkpoint() {
    let world = World::new();
    let (worktree, root) = (world.worktree(), world.root());
    world.write("kept.log", "committed although ignored\n");
    world.write("work.txt", "work\n");
    let first = worktree.checkpoint("login", 1).unwrap();
    git(&root, &["add", "-f", "kept.log", "work.txt"]);
    git(&root, &["commit", "--quiet", "-m", "of the agent"]);
    let second = worktree.checkpoint("login", 2).unwrap();
    let names = |commit: &str| git(&root, &["ls-tree", "-r", "--name-only", commit]);
    assert!(!names(&first.commit).contains("kept.log"));
    assert!(names(&second.commit).contains("kept.log"));

    // Nested repositories are not content; a reset is.
    git(&root, &["init", "--quiet", "nested"]);
    world.write("nested/x.txt", "x\n");
    git(&root, &["reset", "--quiet", "--hard", "HEAD~1"]);
    let third = worktree.checkpoint("login", 3).unwrap();
    assert_eq!(names(&third.commit), ".gitignore\na.txt\ndir/b.txt\n");
    git(&root, &["checkout", "--quiet", "--orphan", "nowhere"]);
    let fourth = worktree.checkpoint("login", 4).unwrap();
    assert_eq!(fourth.tree, third.tree);
    worktree.restore(&second).unwrap();
    assert_eq!(fs::read_to_string(root.join("work.txt")).unwrap(), "work\n");
    assert!(root.join("nested/x.txt").exists());
}

#[test]
fn a_killed_git_and_a_damaged_index_are_no_obstacle() {
    let world = World::new();
    let worktree = world.worktree();
    world.write("new.txt", "new\n");
    let git_dir = worktree.git_dir().unwrap();
    fs::write(git_dir.join("kumite-index.lock"), "").unwrap();
    fs::write(git_dir.join("index.lock"), "").unwrap();
    let first = worktree.checkpoint("login", 1).unwrap();
    fs::write(git_dir.join("kumite-index"), "no index").unwrap();
    let second = worktree.checkpoint("login", 2).unwrap();
    assert_eq!(first, second);
    assert!(git_dir.join("index.lock").exists(), "it is not ours");
}

#[test]
fn a_worktree_that_is_gone_is_said_and_nothing_is_recorded_of_the_main_checkout() {
    let world = World::new();
    let worktree = world.worktree();
    worktree.checkpoint("login", 1).unwrap();
    fs::remove_dir_all(world.root()).unwrap();
    let why = worktree.checkpoint("login", 2).unwrap_err().to_string();
    assert!(why.contains("worktree") && why.contains("is gone"), "{why}");
    let known = git(&world.main(), &["for-each-ref", "refs/kumite"]);
    assert_eq!(known.lines().count(), 1, "{known}");
}

#[test]
fn checkpoints_go_together_and_those_of_others_stay() {
    let world = World::new();
    let worktree = world.worktree();
    worktree.checkpoint("login", 1).unwrap();
    worktree.checkpoint("login", 2).unwrap();
    worktree.checkpoint("login-2", 1).unwrap();
    remove_checkpoints(&worktree.git().unwrap(), "login").unwrap();
    assert!(worktree.checkpoints("login").unwrap().is_empty());
    assert_eq!(worktree.checkpoints("login-2").unwrap().len(), 1);
}

#[test]
fn what_changed_between_two_checkpoints_is_a_patch() {
    let world = World::new();
    let worktree = world.worktree();
    let first = worktree.checkpoint("login", 1).unwrap();
    world.write("a.txt", "changed\n");
    world.write("new.txt", "new\n");
    let second = worktree.checkpoint("login", 2).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let into = file.as_file_mut().try_clone().unwrap();
    worktree.patch(&first.tree, &second.tree, into).unwrap();
    let patch = fs::read_to_string(file.path()).unwrap();
    for part in ["-a\n+changed\n", "+++ b/new.txt", "+new\n"] {
        assert!(patch.contains(part), "{patch}");
    }
}
