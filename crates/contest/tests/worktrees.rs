//! The worktrees of agent teams, with the real git.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::thread;

use common::{Project, apart, files, git, read, write};
use kumite_contest::apply::apply;
use kumite_contest::worktree::remove_all;
use kumite_git::Repository;

/// Everything that an agent may do to a worktree, in one function.
fn work_hard(root: &Path) {
    write(root, "a.txt", "one\n2\nthree\n");
    git(root, &["commit", "--quiet", "--all", "-m", "work"]);
    write(root, "forced.o", "wanted\n");
    git(root, &["add", "--force", "forced.o"]);
    git(root, &["commit", "--quiet", "-m", "more"]);
    fs::remove_file(root.join("dir/b.txt")).unwrap();
    write(root, "new file é.txt", "new\n");
    write(root, "deep/in/it.txt", "without a newline");
    write(root, ":(top)*.txt", "a name that looks like a pattern\n");
    fs::write(root.join("blob"), [0, 159, 146, 150, 0, b'\n']).unwrap();
    fs::write(root.join("latin"), b"caf\xe9\r\n").unwrap();
    fs::write(root.join("empty"), "").unwrap();
    symlink("a.txt", root.join("link")).unwrap();
    write(root, "run.sh", "#!/bin/sh\n");
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    write(root, "ignored.o", "not wanted\n");
    write(root, "staged.txt", "staged\n");
    git(root, &["add", "staged.txt"]);
}

#[test]
fn all_that_was_changed_is_in_the_diff_and_the_diff_makes_the_same_of_the_project() {
    let project = Project::new();
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    let before = files(worktree.root());
    assert_eq!(before, files(project.root()));
    work_hard(worktree.root());
    let diff = project.path(".kiro/runtime/changes.diff");
    worktree.diff(&diff).unwrap();

    let changes = apply(project.root(), &diff, true).unwrap();
    assert_eq!(files(project.root()), before, "a check changes nothing");
    let changed = apply(project.root(), &diff, false).unwrap();
    assert_eq!(changed, changes);
    let mut expected = files(worktree.root());
    expected.retain(|(name, _)| name != "ignored.o");
    assert_eq!(files(project.root()), expected);
    let mode = |root: &Path| {
        fs::metadata(root.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode(project.root()) & 0o111, 0o111);
    let of = |path: &str| changes.iter().find(|change| change.path == path).unwrap();
    assert_eq!((of("a.txt").added, of("a.txt").removed), (Some(1), Some(1)));
    assert_eq!((of("blob").added, of("dir/b.txt").removed), (None, Some(1)));
    assert_eq!(project.git(&["diff", "--cached", "--name-only"]), "");
}

#[test]
fn taking_the_diff_changes_nothing_in_the_worktree() {
    let project = Project::new();
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    work_hard(worktree.root());
    let look = || {
        let status = git(worktree.root(), &["status", "--porcelain", "--ignored"]);
        (status, files(worktree.root()))
    };
    let before = look();
    let diff = project.path(".kiro/runtime/changes.diff");
    worktree.diff(&diff).unwrap();
    assert_eq!(look(), before);
    let first = fs::read(&diff).unwrap();
    worktree.diff(&diff).unwrap();
    assert_eq!(fs::read(&diff).unwrap(), first);
}

#[test]
fn a_persons_taste_in_diffs_does_not_spoil_them() {
    let project = Project::new();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.external", "false"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
        ("apply.whitespace", "error"),
        ("status.showUntrackedFiles", "no"),
    ] {
        project.git(&["config", key, value]);
    }
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    write(worktree.root(), "a.txt", "one\ntwo  \nthree\n");
    write(worktree.root(), "é.txt", "new\n");
    let diff = project.path(".kiro/runtime/changes.diff");
    worktree.diff(&diff).unwrap();
    apply(project.root(), &diff, false).unwrap();
    assert_eq!(files(project.root()), files(worktree.root()));
}

#[test]
fn a_repository_inside_of_a_worktree_is_left_out_of_the_diff() {
    let project = Project::new();
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    for name in ["bare", "full"] {
        write(worktree.root(), &format!("{name}/file"), "x\n");
        git(&worktree.root().join(name), &["init", "--quiet"]);
    }
    let full = worktree.root().join("full");
    git(&full, &["add", "."]);
    git(&full, &["commit", "--quiet", "-m", "theirs"]);
    write(worktree.root(), "new.txt", "new\n");
    let diff = project.path(".kiro/runtime/changes.diff");
    worktree.diff(&diff).unwrap();
    let changes = apply(project.root(), &diff, true).unwrap();
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["new.txt"]);
}

#[test]
fn d3_a_fresh_worktree_is_the_project_as_it_was_whatever_was_done_to_it() {
    let project = Project::new();
    project.git(&["branch", "precious"]);
    let worktree = project.worktree(1);
    let root = worktree.root();
    let base = project.repository().head().unwrap();
    let git_dir = project.path(".git/worktrees/1-team-a");
    let deeds: [(&str, &dyn Fn()); 11] = [
        ("nothing", &|| ()),
        ("work", &|| work_hard(root)),
        ("a branch of the person's", &|| {
            git(root, &["checkout", "--quiet", "precious"]);
            git(root, &["commit", "--quiet", "--allow-empty", "-m", "moved"]);
        }),
        ("an orphan", &|| {
            git(root, &["checkout", "--quiet", "--orphan", "alone"]);
        }),
        ("no link", &|| fs::remove_file(root.join(".git")).unwrap()),
        ("a repository of its own", &|| {
            fs::remove_file(root.join(".git")).unwrap();
            git(root, &["init", "--quiet"]);
        }),
        ("a lock", &|| {
            fs::write(git_dir.join("index.lock"), "").unwrap()
        }),
        ("no index", &|| {
            fs::remove_file(git_dir.join("index")).unwrap()
        }),
        ("a merge", &|| {
            fs::write(git_dir.join("MERGE_HEAD"), &base).unwrap()
        }),
        ("no files", &|| fs::remove_dir_all(root).unwrap()),
        ("write protection", &|| {
            write(root, "deep/file", "x");
            let mode = fs::Permissions::from_mode(0o500);
            fs::set_permissions(root.join("deep"), mode).unwrap();
        }),
    ];
    project.write("a.txt", "mine, not committed\n");
    let main = files(project.root());
    for (what, deed) in deeds {
        worktree.fresh().unwrap();
        let moved = project.git(&["rev-parse", "precious"]);
        deed();
        worktree.fresh().unwrap();
        assert_eq!(read(root, "a.txt"), "one\ntwo\nthree\n", "{what}");
        let found: Vec<String> = files(root).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, [".gitignore", "a.txt", "dir/b.txt"], "{what}");
        assert_eq!(git(root, &["rev-parse", "HEAD"]).trim(), base, "{what}");
        assert_eq!(
            git(root, &["status", "--porcelain", "--ignored"]),
            "",
            "{what}"
        );
        assert_eq!(git(root, &["branch", "--show-current"]), "", "{what}");
        assert_eq!(files(project.root()), main, "{what}: the main checkout");
        if !what.starts_with("a branch") {
            assert_eq!(project.git(&["rev-parse", "precious"]), moved, "{what}");
        }
        assert_eq!(project.worktrees().len(), 2, "{what}");
    }
}

#[test]
fn a_branch_that_a_team_checked_out_stays_where_the_team_left_it() {
    let project = Project::new();
    project.git(&["branch", "precious"]);
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    git(worktree.root(), &["checkout", "--quiet", "precious"]);
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "theirs"];
    git(worktree.root(), &commit);
    let theirs = project.git(&["rev-parse", "precious"]);
    worktree.fresh().unwrap();
    assert_eq!(project.git(&["rev-parse", "precious"]), theirs);
}

#[test]
fn a_kept_worktree_is_what_the_last_round_left() {
    let project = Project::new();
    let worktree = project.worktree(1);
    let rounds = tempfile::tempdir().unwrap();
    let round = |name: &str| {
        let path = rounds.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    };
    worktree.kept(&round("1")).unwrap();
    work_hard(worktree.root());
    let left = files(worktree.root());
    let head = git(worktree.root(), &["rev-parse", "HEAD"]);
    worktree.kept(&round("2")).unwrap();
    assert_eq!(files(worktree.root()), left);

    // The first try of round 2 breaks; the second one finds what the first one found.
    write(worktree.root(), "a.txt", "broken\n");
    write(worktree.root(), "mess.txt", "x\n");
    fs::remove_file(worktree.root().join("blob")).unwrap();
    git(worktree.root(), &["add", "."]);
    git(worktree.root(), &["commit", "--quiet", "-m", "mess"]);
    fs::remove_file(worktree.root().join(".git")).unwrap();
    worktree.kept(&round("2")).unwrap();
    assert_eq!(files(worktree.root()), left);
    assert_eq!(git(worktree.root(), &["rev-parse", "HEAD"]), head);
    worktree.kept(&round("3")).unwrap();
    assert_eq!(files(worktree.root()), left);
}

#[test]
fn no_hook_runs_and_the_surroundings_of_kumite_do_not_count() {
    let nowhere = Path::new("/nonexistent");
    let variables = [("GIT_DIR", nowhere), ("GIT_INDEX_FILE", nowhere)];
    let test = "no_hook_runs_and_the_surroundings_of_kumite_do_not_count";
    if !apart(test, &variables) {
        return;
    }
    let project = Project::new();
    let hooks = [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
    ];
    for hook in hooks {
        let script = format!("echo {hook} >> {}", project.path("hooks.o").display());
        project.program(&format!(".git/hooks/{hook}"), &script);
    }
    let worktree = project.worktree(1);
    let round = tempfile::tempdir().unwrap();
    worktree.fresh().unwrap();
    worktree.fresh().unwrap();
    worktree.kept(round.path()).unwrap();
    worktree.diff(&round.path().join("changes.diff")).unwrap();
    remove_all(&project.repository(), &project.contest_dir()).unwrap();
    assert!(
        !project.path("hooks.o").exists(),
        "{}",
        project.read("hooks.o")
    );
}

#[test]
fn what_is_no_project_for_agent_teams_is_refused_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let why = Repository::of(dir.path()).unwrap_err().to_string();
    assert!(
        why.contains("not in a git repository") && why.contains("git init"),
        "{why}"
    );

    git(dir.path(), &["init", "--quiet"]);
    let why = Repository::of(dir.path())
        .unwrap()
        .head()
        .unwrap_err()
        .to_string();
    assert!(why.contains("has no commit"), "{why}");

    let project = Project::new();
    fs::create_dir_all(project.path("new/app")).unwrap();
    let why = Repository::of(&project.path("new/app")).unwrap().head();
    let why = why.unwrap_err().to_string();
    assert!(
        why.contains("new/app") && why.contains("commit it first"),
        "{why}"
    );

    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "--quiet", "--bare"]);
    let why = Repository::of(bare.path()).unwrap_err().to_string();
    assert!(why.contains("git repository with files"), "{why}");
}

#[test]
fn what_is_not_committed_is_counted_but_not_what_kumite_keeps() {
    let project = Project::new();
    fs::write(project.path(".gitignore"), "*.o\n").unwrap();
    project.git(&[
        "commit",
        "--quiet",
        "--all",
        "-m",
        "nothing of kumite's is ignored",
    ]);
    project.worktree(1).fresh().unwrap();
    assert_eq!(project.repository().uncommitted().unwrap(), 0);
    project.write("a.txt", "mine\n");
    project.write("new.txt", "mine\n");
    assert_eq!(project.repository().uncommitted().unwrap(), 2);
}

#[test]
fn a_project_below_the_top_of_its_repository_works_in_its_own_place() {
    let project = Project::new();
    let app = project.path("dir");
    let repository = Repository::of(&app).unwrap();
    let base = repository.head().unwrap();
    let root = project.path("dir/.kiro/runtime/worktree");
    let worktree = kumite_contest::worktree::TeamWorktree::new(repository, root, base);
    worktree.fresh().unwrap();
    assert_eq!(read(&worktree.place(), "b.txt"), "b\n");
    write(&worktree.place(), "b.txt", "new b\n");
    write(worktree.root(), "a.txt", "new a\n");
    let diff = project.path("changes.o");
    worktree.diff(&diff).unwrap();
    let changes = apply(&app, &diff, false).unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!(project.read("dir/b.txt"), "new b\n");
    assert_eq!(project.read("a.txt"), "new a\n");
}

#[test]
fn all_worktrees_of_a_contest_go_and_no_others() {
    let project = Project::new();
    let elsewhere = tempfile::tempdir().unwrap();
    for name in ["theirs", "away"] {
        let path = elsewhere.path().join(name).display().to_string();
        project.git(&["worktree", "add", "--quiet", "--detach", &path]);
    }
    // On a disk that is not mounted at the moment.
    fs::remove_dir_all(elsewhere.path().join("away")).unwrap();
    let before = project.worktrees();
    let (one, two, half) = (
        project.worktree(1),
        project.worktree(2),
        project.worktree(3),
    );
    for worktree in [&one, &two, &half] {
        worktree.fresh().unwrap();
    }
    fs::remove_dir_all(two.root()).unwrap();
    fs::remove_file(half.root().join(".git")).unwrap();
    // A crash in the middle of `git worktree add`.
    fs::write(
        project.path(".git/worktrees/3-team-a/locked"),
        "initializing",
    )
    .unwrap();
    write(&project.contest_dir().join("worktrees/4-x"), "file", "x");
    let repository = project.repository();
    for _ in 0..2 {
        remove_all(&repository, &project.contest_dir()).unwrap();
        assert_eq!(project.worktrees(), before);
        assert!(!project.contest_dir().join("worktrees").exists());
    }
    assert!(elsewhere.path().join("theirs/a.txt").exists());
}

#[test]
fn d1_many_teams_prepare_their_worktrees_at_the_same_time() {
    let project = Project::new();
    let worktrees: Vec<_> = (0..8).map(|number| project.worktree(number)).collect();
    thread::scope(|scope| {
        for worktree in &worktrees {
            scope.spawn(|| {
                worktree.fresh().unwrap();
                write(worktree.root(), "own.txt", "x\n");
                worktree.diff(&worktree.root().join("diff.o")).unwrap();
                worktree.fresh().unwrap();
            });
        }
    });
    assert_eq!(project.worktrees().len(), 9);
}
