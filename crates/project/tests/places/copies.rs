//! Untracked files that a worktree needs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use kumite_project::place::{content, env};

use crate::world::{PLACE, World};

#[test]
fn e2_7_untracked_files_are_copied_with_their_mode_and_are_never_committed() {
    let mut world = World::new();
    world.write(".gitignore", ".env.test\n");
    world.commit("ignore");
    world.write(".env.test", "SECRET=1\n");
    world.write("local/deep/run.sh", "#!/bin/sh\n");
    world.write("local/with space.txt", "x\n");
    let mode = fs::Permissions::from_mode(0o750);
    fs::set_permissions(world.path("local/deep/run.sh"), mode).unwrap();
    world.wanted.copy = vec![".env.test".into(), "local".into(), "nothing/*".into()];
    let (prepared, said) = world.prepare_from("");
    assert!(
        matches!(prepared, kumite_core::place::Prepared::Ready(_)),
        "{prepared:?}"
    );
    assert!(
        said.contains("no untracked file matches nothing/*"),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(world.there(".env.test")).unwrap(),
        "SECRET=1\n"
    );
    let run = fs::metadata(world.there("local/deep/run.sh")).unwrap();
    assert_eq!(run.permissions().mode() & 0o777, 0o750);
    assert!(world.there("local/with space.txt").exists());

    // Neither kumite's checkpoints nor an agent's `git add` take them.
    let recorded = content(&world.spec()).unwrap();
    let names = world.git(&["ls-tree", "-r", "--name-only", &recorded.tree]);
    assert!(
        !names.contains("local") && !names.contains(".env.test"),
        "{names}"
    );
    let status = Command::new("git")
        .args(["status", "--porcelain", "--untracked-files=all"])
        .current_dir(world.path(PLACE))
        .envs(env(&world.spec()))
        .output()
        .unwrap();
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert_eq!(status, " M .kiro/specs/login/spec.json\n");
    // In the checkout, they are as they were.
    let status = world.git(&["status", "--porcelain"]);
    assert_eq!(status, "?? local/\n");
}

#[test]
fn e2_7_what_the_person_ignores_everywhere_stays_ignored() {
    let mut world = World::new();
    world.write("mine.ignore", "*.swp\n");
    let path = world.path("mine.ignore").display().to_string();
    world.git(&["config", "core.excludesFile", &path]);
    world.write("needed.txt", "x\n");
    world.wanted.copy = vec!["needed.txt".into()];
    let begin = world.ready().begin;
    fs::write(world.there("a.swp"), "x").unwrap();
    assert_eq!(content(&world.spec()).unwrap(), begin);
}

#[test]
fn e2_7_without_copies_there_are_no_variables() {
    let world = World::new();
    world.ready();
    assert!(env(&world.spec()).is_empty());
}

#[test]
fn e2_7_nothing_leads_out_and_nothing_of_the_branch_is_written_over() {
    let mut world = World::new();
    world.git(&["switch", "--quiet", "-c", "base"]);
    world.write("config.txt", "of the branch\n");
    symlink("/tmp", world.path("outside")).unwrap();
    world.commit("base");
    world.git(&["switch", "--quiet", "main"]);
    world.write("config.txt", "untracked\n");
    world.write("outside/x.txt", "x\n");
    symlink("/etc/passwd", world.path("absolute")).unwrap();
    symlink("../../etc", world.path("upwards")).unwrap();
    symlink("config.txt", world.path("inside")).unwrap();
    world.wanted.copy = vec!["**".into()];
    let (prepared, said) = world.prepare_from("base");
    assert!(
        matches!(prepared, kumite_core::place::Prepared::Ready(_)),
        "{prepared:?}"
    );
    for (name, why) in [
        ("config.txt", "the worktree has a file of that name"),
        ("outside/x.txt", "in the way"),
        ("absolute", "leads out"),
        ("upwards", "leads out"),
    ] {
        let line = said.lines().find(|line| line.starts_with(name));
        assert!(
            line.is_some_and(|line| line.contains(why)),
            "{name}: {said}"
        );
    }
    let text = fs::read_to_string(world.there("config.txt")).unwrap();
    assert_eq!(text, "of the branch\n");
    assert!(world.there("inside").is_symlink());
    assert!(!world.there("absolute").is_symlink());
    // Even with a glob for everything, kumite's own files are not copied.
    assert!(!world.there(".kiro/runtime").exists());
    assert!(!world.there(".kiro/worktrees").exists());
}

#[test]
fn e2_7_a_file_that_git_would_not_ignore_there_is_not_copied() {
    let mut world = World::new();
    world.write(".gitignore", "!keys.txt\n");
    world.commit("never ignore it");
    world.write("keys.txt", "x\n");
    world.wanted.copy = vec!["keys.txt".into()];
    let (_, said) = world.prepare_from("");
    assert!(
        said.contains("keys.txt was not copied: git would not ignore it"),
        "{said}"
    );
    assert!(!world.there("keys.txt").exists());
}
