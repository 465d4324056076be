//! Uncommitted documents go to the branch, and nothing of the person's is lost or touched.

use std::fs;

use crate::world::{DOCS, SPEC_JSON, World, git};

fn on_branch(world: &World, name: &str) -> String {
    world.git(&["show", &format!("feature/login:{DOCS}/{name}")])
}

#[test]
fn e2_6_untracked_documents_are_the_first_commit_of_the_branch_and_leave_the_checkout() {
    let world = World::untracked();
    world.write(&format!("{DOCS}/notes/deep.md"), "deep\n");
    let before = world.persons();
    world.ready();
    assert_eq!(world.commits_since("main"), "1");
    for (name, text) in [
        ("tasks.md", "- [ ] 1. One\n"),
        ("notes/deep.md", "deep\n"),
        ("spec.json", SPEC_JSON),
    ] {
        assert_eq!(on_branch(&world, name), text);
        assert!(world.there(&format!("{DOCS}/{name}")).exists());
        assert!(!world.path(&format!("{DOCS}/{name}")).exists(), "{name}");
    }
    let author = world.git(&["log", "-1", "--format=%an <%ae> %cn", "feature/login"]);
    assert_eq!(author, "kumite <kumite@localhost> kumite\n");
    // Logs and events stay, and so does the directory.
    assert_eq!(world.read(&format!("{DOCS}/logs/agent.log")), "words\n");
    assert_eq!(world.read(&format!("{DOCS}/events.jsonl")), "{}\n");
    assert!(!world.path(&format!("{DOCS}/notes")).exists());
    assert!(!world.there(&format!("{DOCS}/logs")).exists());
    assert_eq!(world.persons(), before);
    assert_eq!(world.spec().workplace(), world.there(""));
    world.fsck();
}

#[test]
fn e2_6_logs_and_events_stay_even_if_git_does_not_ignore_them() {
    let world = World::untracked();
    world.write(".kiro/.gitignore", "runtime/\nworktrees/\n");
    world.ready();
    assert!(world.path(&format!("{DOCS}/events.jsonl")).exists());
    assert!(world.path(&format!("{DOCS}/logs/agent.log")).exists());
    let names = world.git(&["ls-tree", "-r", "--name-only", "feature/login"]);
    assert!(
        !names.contains("events.jsonl") && !names.contains("agent.log"),
        "{names}"
    );
}

#[test]
fn e2_6_changes_that_are_not_staged_go_along_and_the_checkout_is_as_committed() {
    let world = World::new();
    world.write(&format!("{DOCS}/tasks.md"), "- [ ] 1. Other\n");
    let before = world.persons();
    world.ready();
    assert_eq!(on_branch(&world, "tasks.md"), "- [ ] 1. Other\n");
    assert_eq!(world.read(&format!("{DOCS}/tasks.md")), "- [ ] 1. One\n");
    assert_eq!(world.persons(), before);
    assert!(world.git(&["status", "--porcelain"]).is_empty());
    // The later merge finds nothing in its way.
    git(&world.there(""), &["commit", "--quiet", "-am", "more"]);
    world.git(&["merge", "--quiet", "--no-edit", "feature/login"]);
    assert_eq!(world.read(&format!("{DOCS}/tasks.md")), "- [ ] 1. Other\n");
}

#[test]
fn e2_6_what_is_staged_goes_along_and_stays_as_it_is() {
    let world = World::new();
    world.write(&format!("{DOCS}/tasks.md"), "staged\n");
    world.write(&format!("{DOCS}/new.md"), "new\n");
    world.git(&["add", DOCS]);
    world.write(&format!("{DOCS}/tasks.md"), "and changed again\n");
    let (before, status) = (world.persons(), world.git(&["status", "--porcelain"]));
    world.ready();
    assert_eq!(on_branch(&world, "tasks.md"), "and changed again\n");
    assert_eq!(on_branch(&world, "new.md"), "new\n");
    assert_eq!(world.persons(), before);
    assert_eq!(world.git(&["status", "--porcelain"]), status);
}

#[test]
fn e2_6_everything_else_that_is_uncommitted_stays_untouched() {
    let world = World::new();
    world.write("src/a.txt", "changed\n");
    world.write("src/new.txt", "new\n");
    world.write("stashed.txt", "stashed\n");
    world.git(&["add", "stashed.txt"]);
    world.git(&["stash", "--quiet"]);
    world.write("src/a.txt", "changed\n");
    world.write(".kiro/specs/other/spec.json", "{}");
    let (before, status) = (world.persons(), world.git(&["status", "--porcelain"]));
    world.ready();
    assert_eq!(world.persons(), before);
    assert_eq!(world.git(&["status", "--porcelain"]), status);
    assert!(!world.there("src/new.txt").exists());
    assert_eq!(fs::read_to_string(world.there("src/a.txt")).unwrap(), "a\n");
}

#[test]
fn e2_6_a_removed_document_is_removed_on_the_branch() {
    let world = World::new();
    world.write(&format!("{DOCS}/old.md"), "old\n");
    world.commit("old");
    fs::remove_file(world.path(&format!("{DOCS}/old.md"))).unwrap();
    let before = world.persons();
    world.ready();
    assert!(!world.there(&format!("{DOCS}/old.md")).exists());
    assert_eq!(world.persons(), before);
}

#[test]
fn e2_6_documents_in_the_middle_of_a_merge_are_a_conflict() {
    let world = World::new();
    world.git(&["switch", "--quiet", "-c", "other"]);
    world.write(&format!("{DOCS}/tasks.md"), "theirs\n");
    world.commit("theirs");
    world.git(&["switch", "--quiet", "main"]);
    world.write(&format!("{DOCS}/tasks.md"), "ours\n");
    world.commit("ours");
    let merged = std::process::Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(["merge", "other"])
        .current_dir(world.root())
        .output()
        .unwrap();
    assert!(!merged.status.success());
    let before = world.persons();
    let why = world.conflict();
    assert!(why.contains("in the middle of a merge"), "{why}");
    assert_eq!(world.persons(), before);
}

#[test]
fn e2_6_no_hook_runs_and_nothing_is_signed_with_the_persons_keys() {
    let world = World::untracked();
    let hooks = world.top().join(".git/hooks");
    for hook in [
        "post-checkout",
        "pre-commit",
        "reference-transaction",
        "post-index-change",
    ] {
        use std::os::unix::fs::PermissionsExt;
        let path = hooks.join(hook);
        let text = format!(
            "#!/bin/sh\ntouch {}/hooked\nexit 1\n",
            world.top().display()
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    world.git(&["config", "commit.gpgsign", "true"]);
    world.git(&["config", "gpg.program", "/bin/false"]);
    world.git(&["config", "branch.autoSetupMerge", "always"]);
    world.git(&["config", "alias.status", "!false"]);
    let before = world.persons();
    world.ready();
    assert!(!world.path("hooked").exists());
    assert_eq!(world.persons(), before);
}
