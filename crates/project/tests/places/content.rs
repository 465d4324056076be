//! The content of a place, and what a look at it finds.

use std::fs;

use kumite_core::place::{Content, PlaceFacts, PlaceLook};
use kumite_project::place::{content, keep, look};

use crate::world::{DOCS, PLACE, World, git};

fn seen(world: &World, accepted: Option<&str>, protect: &[&str]) -> PlaceFacts {
    let protect: Vec<String> = protect.iter().map(|it| (*it).to_owned()).collect();
    match look(&world.spec(), accepted, &protect) {
        PlaceLook::Seen(facts) => facts,
        other => panic!("{other:?}"),
    }
}

fn objects(world: &World) -> String {
    world.git(&["count-objects"])
}

#[test]
fn e2_9_a_spec_without_a_worktree_has_nothing_to_look_at() {
    assert_eq!(look(&World::new().spec(), None, &[]), PlaceLook::None);
    assert_eq!(
        look(&World::without_git().spec(), None, &[]),
        PlaceLook::None
    );
}

#[test]
fn e2_9_unchanged_content_is_the_same_and_costs_no_new_object() {
    let world = World::untracked();
    let begin = world.ready().begin;
    let before = objects(&world);
    assert_eq!(content(&world.spec()).unwrap(), begin);
    keep(&world.spec(), 7, &begin.commit).unwrap();
    assert_eq!(seen(&world, None, &[]).content, begin);
    assert_eq!(objects(&world), before);
    fs::write(world.there("src/new.txt"), "new\n").unwrap();
    let changed = content(&world.spec()).unwrap();
    assert_ne!(changed.tree, begin.tree);
    let before = objects(&world);
    assert_eq!(content(&world.spec()).unwrap(), changed);
    assert_eq!(objects(&world), before);
}

#[test]
fn e2_9_the_code_has_changed_only_if_something_outside_of_kiro_has() {
    for world in [World::new(), below()] {
        let begin = world.ready().begin;
        let code = |text: &str, path: &str| -> Content {
            let path = world.there(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            content(&world.spec()).unwrap()
        };
        let ticked = code("- [x] 1. One\n", &format!("{DOCS}/tasks.md"));
        assert_ne!(ticked.tree, begin.tree);
        assert_eq!(ticked.code, begin.code);
        let worked = code("more\n", "src/deep/more.txt");
        assert_ne!(worked.code, begin.code);
        fs::remove_dir_all(world.there("src/deep")).unwrap();
        assert_eq!(content(&world.spec()).unwrap().code, begin.code);
        // Committed or not makes no difference.
        code("more\n", "src/deep/more.txt");
        git(&world.path(PLACE), &["add", "."]);
        git(&world.path(PLACE), &["commit", "--quiet", "-m", "work"]);
        assert_eq!(content(&world.spec()).unwrap().code, worked.code);
    }
}

/// A project below the root of its repository, whose name looks like a glob.
pub fn below() -> World {
    let world = World::without_commit("packages/a[1]");
    world.write("src/a.txt", "a\n");
    fs::write(world.top().join("README"), "top\n").unwrap();
    git(world.top(), &["add", "."]);
    git(world.top(), &["commit", "--quiet", "-m", "first"]);
    world
}

#[test]
fn e2_10_a_project_below_the_root_of_its_repository_works_in_its_directory_of_the_worktree() {
    let world = below();
    world.write(&format!("{DOCS}/tasks.md"), "- [ ] 1. Other\n");
    let begin = world.ready().begin;
    assert!(world.path(PLACE).join("README").exists());
    assert_eq!(world.spec().workplace(), world.there(""));
    let tasks = fs::read_to_string(world.there(&format!("{DOCS}/tasks.md"))).unwrap();
    assert_eq!(tasks, "- [ ] 1. Other\n");
    assert!(world.git(&["status", "--porcelain"]).is_empty());
    // What is beside the project is code too.
    fs::write(world.path(PLACE).join("README"), "changed\n").unwrap();
    assert_ne!(content(&world.spec()).unwrap().code, begin.code);
    fs::write(world.there("src/a.txt"), "changed\n").unwrap();
    let facts = seen(&world, Some(&begin.tree), &["src/*.txt", "README"]);
    assert_eq!(facts.protected, ["src/a.txt"]);
}

#[test]
fn e2_11_protected_paths_that_differ_from_the_accepted_tree_are_named() {
    let world = World::new();
    fs::create_dir(world.path("tests")).unwrap();
    world.write("tests/one.txt", "1\n");
    world.write("tests/deep/two.txt", "2\n");
    world.commit("tests");
    let begin = world.ready().begin;
    let all = ["tests", "src/**/*.lock", "nothing/*"];
    assert!(seen(&world, Some(&begin.tree), &all).protected.is_empty());
    fs::write(world.there("src/a.txt"), "not protected\n").unwrap();
    fs::write(world.there("tests/deep/two.txt"), "changed\n").unwrap();
    fs::remove_file(world.there("tests/one.txt")).unwrap();
    fs::write(world.there("src/new.lock"), "new\n").unwrap();
    let facts = seen(&world, Some(&begin.tree), &all);
    assert_eq!(
        facts.protected,
        ["src/new.lock", "tests/deep/two.txt", "tests/one.txt"]
    );
    // A person has looked: from now on this is what counts.
    assert!(
        seen(&world, Some(&facts.content.tree), &all)
            .protected
            .is_empty()
    );
    assert!(seen(&world, None, &all).protected.is_empty());
    assert!(seen(&world, Some(&begin.tree), &[]).protected.is_empty());
}

#[test]
fn e2_9_keeping_content_twice_is_the_same_as_once() {
    let world = World::new();
    let begin = world.ready().begin;
    for _ in 0..2 {
        keep(&world.spec(), 3, &begin.commit).unwrap();
    }
    let kept = world.git(&[
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/kumite",
    ]);
    assert_eq!(kept, format!("refs/kumite/login/3 {}\n", begin.commit));
    world.fsck();
}
