//! Where there can be no worktree, the spec works in the checkout, and is told why.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kumite_core::place::Prepared;

use crate::crash::child;
use crate::world::{DOCS, PLACE, World};

#[test]
fn e2_3_without_repository_or_commit_the_spec_works_in_the_checkout() {
    let world = World::without_git();
    let why = world.checkout_because();
    assert!(why.contains("not in a git repository"), "{why}");
    let world = World::without_commit("");
    let why = world.checkout_because();
    assert!(why.contains("has no commit"), "{why}");
    assert!(world.path(&format!("{DOCS}/spec.json")).exists());
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_3_a_project_that_is_not_committed_works_in_the_checkout() {
    let world = World::without_commit("below");
    fs::write(world.top().join("a.txt"), "a").unwrap();
    crate::world::git(world.top(), &["add", "a.txt"]);
    crate::world::git(world.top(), &["commit", "--quiet", "-m", "first"]);
    let why = world.checkout_because();
    assert!(why.contains("is not in the last commit"), "{why}");
}

#[test]
fn e2_3_documents_that_git_ignores_keep_the_spec_in_the_checkout() {
    let world = World::untracked();
    world.write(".gitignore", ".kiro/\n");
    let why = world.checkout_because();
    assert!(
        why.contains("git ignores") && why.contains("login"),
        "{why}"
    );
    assert!(world.path(&format!("{DOCS}/tasks.md")).exists());
}

/// A `git` on the PATH of a process of its own.
fn with_git(world: &World, script: Option<&str>) -> Prepared {
    let bin = world.top().join("bin");
    fs::create_dir(&bin).unwrap();
    if let Some(script) = script {
        fs::write(bin.join("git"), script).unwrap();
        fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut child = child(world);
    child.env("PATH", Path::new(&bin));
    assert!(child.output().unwrap().status.success());
    world.record().prepared.unwrap()
}

#[test]
fn e2_3_without_git_or_with_an_old_one_the_spec_works_in_the_checkout() {
    let Prepared::Checkout(why) = with_git(&World::new(), None) else {
        panic!("no checkout");
    };
    assert!(why.contains("git is not installed"), "{why}");
    let old = "#!/bin/sh\necho git version 2.37.9\n";
    let Prepared::Checkout(why) = with_git(&World::new(), Some(old)) else {
        panic!("no checkout");
    };
    assert!(why.contains("git is 2.37") && why.contains("2.38"), "{why}");
}

#[test]
fn e2_3_a_repository_of_somebody_else_is_a_conflict_with_the_remedy() {
    let world = World::new();
    let words = "fatal: detected dubious ownership in repository at '/x'";
    let git = format!(
        "#!/bin/sh\ncase \"$*\" in *version) echo git version 2.47.0;; \
         *) echo \"{words}\" >&2; exit 128;; esac\n"
    );
    let Prepared::Conflict(why) = with_git(&world, Some(&git)) else {
        panic!("no conflict");
    };
    assert!(
        why.contains("git config --global --add safe.directory"),
        "{why}"
    );
}
