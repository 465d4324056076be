//! kumite is killed at every point of making and of removing a place, and begins again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use kumite_core::place::Prepared;
use kumite_project::place::{Record, Wanted, keep, prepare_step, remove};
use kumite_project::project::Project;

use crate::world::{DOCS, PLACE, World};

/// What the process below is told.
const ROOT: &str = "PLACES_ROOT";
const WANTED: &str = "PLACES_COPY";
const REMOVE: &str = "PLACES_REMOVE";

const THREADS: usize = 4;

/// Not a test: the process that is killed.
#[test]
#[ignore = "only the tests below start it"]
fn process() {
    let root = std::env::var_os(ROOT).unwrap();
    let spec = Project::at(PathBuf::from(root)).spec_place(&"login".parse().unwrap());
    if std::env::var_os(REMOVE).is_some() {
        remove(&spec, true).unwrap();
        return;
    }
    let copy = std::env::var(WANTED).unwrap_or_default();
    let wanted = Wanted {
        branch: "feature/login".to_owned(),
        setup: vec![vec![
            "/bin/sh".into(),
            "-c".into(),
            "echo x >> set-up".into(),
        ]],
        copy: copy.split_whitespace().map(str::to_owned).collect(),
        bytes_max: 0,
    };
    prepare_step(&spec, &wanted, "", "impl-1", &|_| {}).unwrap();
}

/// A process that prepares the place of `world`.
pub fn child(world: &World) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "crash::process", "--ignored", "--nocapture"]);
    child.env(ROOT, world.root()).env(WANTED, "local.txt");
    child
}

/// Every kind of document, changes of the person, and a file to copy. Tests copy it, because each
/// git takes its time.
fn busy() -> World {
    let world = World::new();
    world.write(&format!("{DOCS}/staged.md"), "staged\n");
    world.write(&format!("{DOCS}/other.md"), "committed\n");
    world.commit("more");
    world.write("src/a.txt", "stashed\n");
    world.git(&["stash", "--quiet"]);
    world.write(&format!("{DOCS}/staged.md"), "staged again\n");
    world.git(&["add", &format!("{DOCS}/staged.md")]);
    world.write(&format!("{DOCS}/tasks.md"), "- [ ] 1. Changed\n");
    world.write(&format!("{DOCS}/other.md"), "changed\n");
    world.write(&format!("{DOCS}/new.md"), "new\n");
    world.write(&format!("{DOCS}/deep/new.md"), "new\n");
    world.write("src/a.txt", "changed\n");
    world.write("local.txt", "local\n");
    world
}

/// The files of a directory with their content.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => dirs.push(path),
                false => drop(all.insert(
                    path.strip_prefix(dir).unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                )),
            }
        }
    }
    all
}

/// What a person sees afterwards, without what differs with the time.
#[derive(Debug, PartialEq)]
struct After {
    checkout: BTreeMap<PathBuf, Vec<u8>>,
    worktree: BTreeMap<PathBuf, Vec<u8>>,
    tree: String,
    commits: String,
}

fn after(world: &World) -> After {
    let mut checkout = files(&world.root());
    checkout.retain(|path, _| {
        let own = [".git", ".kiro/runtime", ".kiro/worktrees"];
        !own.iter().any(|own| path.starts_with(own))
    });
    let mut worktree = files(&world.path(PLACE));
    let json = worktree
        .remove(Path::new(&format!("{DOCS}/spec.json")))
        .unwrap();
    assert!(String::from_utf8_lossy(&json).contains("created_at"));
    worktree.remove(Path::new(".git"));
    // After a crash in the middle, the commands run again from the first one on.
    worktree.remove(Path::new("set-up"));
    After {
        checkout,
        worktree,
        tree: world.git(&["rev-parse", "feature/login^{tree}"]),
        commits: world.commits_since("main"),
    }
}

fn points(world: &World, more: impl Fn(&mut Command)) -> Vec<String> {
    let report = world.top().join(".git/points");
    let mut child = child(world);
    child.env("KUMITE_CRASH_REPORT", &report);
    more(&mut child);
    assert!(child.output().unwrap().status.success());
    let text = fs::read_to_string(&report).unwrap();
    let root = world.root().display().to_string();
    text.lines()
        .map(|line| line.replace(&root, "ROOT"))
        .collect()
}

/// Dies at the n-th point of the list.
fn die(world: &World, points: &[String], n: usize, more: impl Fn(&mut Command)) {
    let name = points[n].replace("ROOT", &world.root().display().to_string());
    let times = points[..=n].iter().filter(|it| **it == points[n]).count();
    let mut child = child(world);
    child.env("KUMITE_CRASH_AT", format!("{times} {name}"));
    more(&mut child);
    let output = child.output().unwrap();
    assert!(!output.status.success(), "it did not die at {name}");
}

#[test]
fn e2_17_killed_at_every_point_a_worktree_is_finished_and_nothing_is_lost_or_doubled() {
    let first = busy();
    let undisturbed = first.copied();
    let points = points(&undisturbed, |_| {});
    assert!(points.len() > 15, "{points:?}");
    let expected = after(&undisturbed);
    assert_eq!(expected.commits, "1");
    let next = AtomicUsize::new(0);
    let try_all = || {
        while let n = next.fetch_add(1, Ordering::Relaxed)
            && n < points.len()
        {
            let world = first.copied();
            let before = world.persons();
            die(&world, &points, n, |_| {});
            assert!(child(&world).output().unwrap().status.success());
            let point = &points[n];
            let prepared = world.record().prepared;
            let is_ready = matches!(prepared, Some(Prepared::Ready(_)));
            assert!(is_ready, "{point}: {prepared:?}");
            assert_eq!(after(&world), expected, "{point}");
            assert_eq!(world.persons(), before, "{point}");
            world.fsck();
        }
    };
    // Their processes wait more than they work.
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(try_all);
        }
    });
}

#[test]
fn e2_17_killed_while_it_is_removed_nothing_of_it_is_left_by_the_next_try() {
    let removing = |child: &mut Command| {
        child.env(REMOVE, "1");
    };
    let first = busy();
    let made = || {
        let world = first.copied();
        let Prepared::Ready(place) = world.prepare() else {
            panic!("no worktree");
        };
        keep(&world.spec(), 1, &place.begin.commit).unwrap();
        world
    };
    let points = points(&made(), removing);
    assert_eq!(points.len(), 3, "{points:?}");
    for n in 0..points.len() {
        let world = made();
        let before = world.persons();
        die(&world, &points, n, removing);
        remove(&world.spec(), true).unwrap();
        assert!(!world.path(PLACE).exists());
        assert!(world.git(&["branch", "--list", "feature/*"]).is_empty());
        assert!(world.git(&["for-each-ref", "refs/kumite"]).is_empty());
        assert_eq!(Record::read(&world.spec()), Record::default());
        assert_eq!(world.persons(), before);
        world.fsck();
    }
}

/// A git that is killed itself leaves more than kumite can.
#[test]
fn e2_17_what_a_killed_git_leaves_is_cleared_away() {
    let admin = |world: &World| world.top().join(".git/worktrees/login");
    type Leave = fn(&World, &Path);
    let left: [Leave; 5] = [
        // Before it wrote where the worktree is.
        |_, admin| {
            fs::create_dir_all(admin).unwrap();
            fs::write(admin.join("locked"), "initializing").unwrap();
        },
        |world, admin| {
            fs::create_dir_all(admin).unwrap();
            fs::write(admin.join("locked"), "initializing").unwrap();
            fs::write(admin.join("gitdir"), "").unwrap();
            fs::create_dir_all(world.path(PLACE)).unwrap();
        },
        // In the middle of the checkout.
        |world, admin| {
            world.git(&[
                "worktree",
                "add",
                "--quiet",
                "--lock",
                PLACE,
                "feature/login",
            ]);
            fs::remove_dir_all(world.path(PLACE).join("src")).unwrap();
            fs::write(admin.join("index.lock"), "").unwrap();
        },
        // While it moved the branch.
        |world, _| {
            let lock = world.top().join(".git/refs/heads/feature/login.lock");
            fs::write(lock, "").unwrap();
        },
        // A worktree that kumite had finished, with locks of its git.
        |world, admin| {
            world.git(&["worktree", "add", "--quiet", PLACE, "feature/login"]);
            fs::remove_file(world.there("src/a.txt")).unwrap();
            for lock in ["index.lock", "HEAD.lock"] {
                fs::write(admin.join(lock), "").unwrap();
            }
        },
    ];
    let first = busy();
    let undisturbed = first.copied();
    let points = points(&undisturbed, |_| {});
    let expected = after(&undisturbed);
    let branch = points.iter().position(|it| it == "place branch").unwrap();
    for (number, leave) in left.into_iter().enumerate() {
        let world = first.copied();
        let before = world.persons();
        die(&world, &points, branch, |_| {});
        leave(&world, &admin(&world));
        assert!(child(&world).output().unwrap().status.success());
        let prepared = world.record().prepared;
        assert!(
            matches!(prepared, Some(Prepared::Ready(_))),
            "{number}: {prepared:?}"
        );
        assert_eq!(after(&world), expected, "{number}");
        assert_eq!(world.persons(), before, "{number}");
        let known = fs::read_dir(world.top().join(".git/worktrees")).unwrap();
        assert_eq!(known.count(), 1, "{number}");
        world.fsck();
    }
}

#[test]
fn e2_17_a_document_that_is_changed_between_crash_and_restart_is_carried_as_it_is_then() {
    let points = points(&busy(), |_| {});
    let added = points.iter().position(|it| it == "place added").unwrap();
    let world = busy();
    die(&world, &points, added, |_| {});
    world.write(&format!("{DOCS}/new.md"), "changed after the crash\n");
    assert!(child(&world).output().unwrap().status.success());
    let there = fs::read_to_string(world.there(&format!("{DOCS}/new.md"))).unwrap();
    assert_eq!(there, "changed after the crash\n");
    assert!(!world.path(&format!("{DOCS}/new.md")).exists());
}
