//! Repositories that are not the usual ones.

use std::fs;

use kumite_core::place::Prepared;
use kumite_project::place::content;
use kumite_project::project::Project;

use crate::world::{DOCS, PLACE, World, git};

#[test]
fn e2_13_submodules_are_not_initialised_and_the_log_says_so() {
    let other = World::new();
    let world = World::new();
    let from = other.top().display().to_string();
    world.git(&["submodule", "--quiet", "add", &from, "sub"]);
    world.commit("submodule");
    let (prepared, said) = world.prepare_from("");
    let Prepared::Ready(place) = prepared else {
        panic!("{prepared:?}");
    };
    assert!(said.contains("submodules are not initialised"), "{said}");
    assert_eq!(content(&world.spec()).unwrap(), place.begin);
    let tree = world.git(&["ls-tree", &place.begin.tree, "sub"]);
    assert!(tree.starts_with("160000 commit"), "{tree}");
    kumite_project::place::remove(&world.spec(), true).unwrap();
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_13_filters_such_as_lfs_see_every_file_and_a_checkpoint_has_pointers() {
    let world = World::new();
    // Like LFS: the repository has something else than the checkout.
    world.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    world.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    world.write(".gitattributes", "*.bin filter=up\n*.md filter=up\n");
    world.write("data.bin", "data\n");
    world.commit("filters");
    world.git(&["rm", "--quiet", "--cached", "-r", DOCS]);
    world.git(&["commit", "--quiet", "-m", "documents are untracked"]);
    world.write(&format!("{DOCS}/tasks.md"), "words\n");
    let begin = world.ready().begin;
    assert_eq!(
        fs::read_to_string(world.there("data.bin")).unwrap(),
        "data\n"
    );
    assert_eq!(
        world.git(&["show", &format!("{}:data.bin", begin.commit)]),
        "DATA\n"
    );
    let tasks = world.there(&format!("{DOCS}/tasks.md"));
    assert_eq!(fs::read_to_string(tasks).unwrap(), "words\n");
    assert!(!world.path(&format!("{DOCS}/tasks.md")).exists());
}

#[test]
fn e2_13_a_changed_document_is_put_back_through_the_filters() {
    let world = World::new();
    world.git(&["config", "core.autocrlf", "true"]);
    world.git(&["config", "core.safecrlf", "true"]);
    fs::remove_file(world.path(&format!("{DOCS}/tasks.md"))).unwrap();
    world.git(&["checkout", "--", DOCS]);
    assert_eq!(world.read(&format!("{DOCS}/tasks.md")), "- [ ] 1. One\r\n");
    world.write(&format!("{DOCS}/tasks.md"), "- [ ] 1. Other\r\nmixed\n");
    let before = world.persons();
    world.ready();
    assert_eq!(world.read(&format!("{DOCS}/tasks.md")), "- [ ] 1. One\r\n");
    assert_eq!(world.persons(), before);
    let shown = world.git(&["show", &format!("feature/login:{DOCS}/tasks.md")]);
    assert_eq!(shown, "- [ ] 1. Other\nmixed\n");
    let tasks = fs::read_to_string(world.there(&format!("{DOCS}/tasks.md"))).unwrap();
    assert_eq!(tasks, "- [ ] 1. Other\r\nmixed\r\n");
}

#[test]
fn e2_13_a_sparse_checkout_stays_sparse_and_loses_nothing() {
    let world = World::new();
    world.write("big/huge.txt", "huge\n");
    world.commit("big");
    world.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/big/"]);
    assert!(!world.path("big").exists());
    let begin = world.ready().begin;
    assert!(!world.there("big").exists());
    let names = |tree: &str| world.git(&["ls-tree", "-r", "--name-only", tree]);
    assert!(names(&begin.tree).contains("big/huge.txt"));
    let index = world.top().join(".git/worktrees/login/kumite-index");
    fs::write(index, "damaged").unwrap();
    assert_eq!(content(&world.spec()).unwrap(), begin);
}

#[test]
fn e2_13_a_project_in_a_worktree_of_a_bare_repository_gets_worktrees_too() {
    let world = World::new();
    let home = tempfile::tempdir().unwrap();
    let from = world.top().display().to_string();
    git(
        home.path(),
        &["clone", "--quiet", "--bare", &from, "bare.git"],
    );
    let checkout = home.path().join("checkout");
    git(
        &home.path().join("bare.git"),
        &["worktree", "add", "--quiet", "../checkout", "main"],
    );
    let project = Project::at(&checkout);
    let spec = project.spec_place(&"login".parse().unwrap());
    let prepared = kumite_project::place::prepare(&spec, &world.wanted, "", &|_| {});
    let Prepared::Ready(place) = prepared else {
        panic!("{prepared:?}");
    };
    assert_eq!(place.base, "main");
    assert!(checkout.join(PLACE).join("src/a.txt").exists());
    assert_eq!(content(&spec).unwrap(), place.begin);
}

#[test]
fn e2_13_a_path_with_spaces_and_a_link_on_the_way_work() {
    let world = World::without_commit("my project");
    world.write("src/a.txt", "a\n");
    world.commit("first");
    let link = world.top().join("link");
    std::os::unix::fs::symlink(world.root(), &link).unwrap();
    let spec = Project::at(&link).spec_place(&"login".parse().unwrap());
    let prepared = kumite_project::place::prepare(&spec, &world.wanted, "", &|_| {});
    let Prepared::Ready(place) = prepared else {
        panic!("{prepared:?}");
    };
    assert_eq!(place.path, PLACE);
    assert_eq!(content(&spec).unwrap(), place.begin);
}
