//! The words of agents are only for their owner (M5); and a file that may not grow is an error, not
//! a death (M6).

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::world::World;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let all = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files_below(&path),
        path => vec![path],
    });
    all.collect()
}

/// kumite, started by a shell that runs this first.
fn started_by(shell: &str) -> World {
    let mut world = World::new();
    let script = format!("{shell}; exec \"$0\" \"$@\"");
    world.wrapper = ["sh".to_owned(), "-c".to_owned(), script].to_vec();
    world.spec("login");
    world
}

#[test]
fn m5_runtime_files_and_logs_are_for_their_owner_whatever_the_umask() {
    let world = started_by("umask 000");
    world
        .kumite(&["run", "login", "--until", "design"])
        .assert_code(0);
    for dir in [".kiro/runtime/kumite", ".kiro/specs/login/logs"] {
        let dir = world.path(dir);
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
        for file in files_below(&dir) {
            assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
        }
    }
}

#[test]
fn m5_a_directory_of_an_older_version_is_tightened_and_a_team_keeps_its_access() {
    for (before, after) in [(0o755, 0o700), (0o2775, 0o2770)] {
        let world = World::new();
        world.spec("login");
        let runtime = world.path(".kiro/runtime/kumite");
        fs::create_dir_all(&runtime).unwrap();
        fs::set_permissions(&runtime, fs::Permissions::from_mode(before)).unwrap();
        world
            .kumite(&["run", "login", "--until", "requirements"])
            .assert_code(0);
        assert_eq!(mode(&runtime), after);
        let journal = world.path(".kiro/runtime/kumite/runs/login/journal.jsonl");
        assert_eq!(mode(&journal) & 0o007, 0);
        assert_eq!(mode(&journal) & 0o040 != 0, before & 0o2000 != 0);
    }
}

#[test]
fn m6_a_file_that_may_not_grow_is_said() {
    let world = started_by("ulimit -f 1");
    let out = world.kumite(&["run", "login"]);
    assert!([1, 3].contains(&out.code), "{out:?}");
    assert!(out.stdout.contains("File too large"), "{out:?}");
}
