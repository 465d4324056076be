//! Files that vanish under a running kumite: `git clean`, a person, or an agent removed them.

use serde_json::json;

use crate::world::{World, until};

fn working() -> (World, crate::world::Running) {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    (world, running)
}

#[test]
fn an_engine_whose_lock_was_removed_ends_its_agents_and_says_so() {
    for victim in [".kiro/runtime", ".kiro/runtime/kumite/lock"] {
        let (world, running) = working();
        let path = world.path(victim);
        match path.is_dir() {
            // The supervisor may write a file into it meanwhile.
            true => until("it to be removed", || {
                std::fs::remove_dir_all(&path).is_ok()
            }),
            false => std::fs::remove_file(&path).unwrap(),
        }
        let out = running.wait();
        out.assert_code(3);
        let end = out.notices("run_ended").pop().unwrap();
        assert_eq!(end["reason"], "interrupted");
        assert!(
            end["message"].as_str().unwrap().contains("was removed"),
            "{end}"
        );
        world.assert_nothing_left();
        // The next kumite has the project for itself, and repeats no finished step.
        world.write("go", "");
        world.kumite(&["run", "login"]).assert_code(0);
        world.assert_nothing_left();
    }
}

#[test]
fn a_socket_that_was_removed_comes_back_and_a_stop_reaches_the_engine() {
    let (world, running) = working();
    let socket = world.path(".kiro/runtime/kumite/control.sock");
    std::fs::remove_file(&socket).unwrap();
    until("the socket", || socket.exists());
    world.kumite(&["stop", "login"]).assert_code(0);
    assert_eq!(running.wait().code, 3);
    assert_eq!(world.status("login")["reason"], "stopped_by_user");
    world.assert_nothing_left();
}

#[test]
fn a_worktree_that_is_not_there_is_refused_instead_of_working_in_the_main_checkout() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.patch(
        "login",
        json!({"worktree": {"path": ".kiro/worktrees/specs/login"}}),
    );
    let out = world.kumite(&["run", "login"]);
    out.assert_code(5);
    assert!(out.stderr.contains("git worktree add"), "{out:?}");
    assert!(world.launches().is_empty());
    assert_eq!(world.status("login")["reason"], "spec_unreadable");
}

#[test]
fn a_changed_number_of_rounds_counts_from_the_next_start_on() {
    let mut world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"fix": 1}}}));
    let rounds = |world: &World| {
        let steps = world.steps("login");
        steps
            .iter()
            .filter(|step| step.starts_with("reply"))
            .count()
    };
    let set = |world: &mut World, max: &str| {
        world.env = vec![("KUMITE_REVIEW__ROUNDS_MAX".to_owned(), max.to_owned())];
    };
    set(&mut world, "1");
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(rounds(&world), 1);
    set(&mut world, "3");
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(rounds(&world), 4);
}

#[test]
fn a_spec_whose_files_are_gone_is_shown_and_stopped_as_long_as_its_agent_works() {
    let (world, running) = working();
    std::fs::remove_dir_all(world.path(".kiro/specs/login")).unwrap();
    let all = world.kumite(&["status", "--json"]).json();
    assert_eq!(all[0]["specs"][0]["spec"], "login", "{all:?}");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait();
    world.assert_nothing_left();
}
