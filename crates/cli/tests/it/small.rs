//! Small things that people see: numbers, columns, codes, and what is hidden from them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::needs_root::needs_root;
use crate::world::World;

#[test]
fn numbers_of_tokens_are_written_alike_in_status_and_cost() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    let result = json!({"type": "result", "subtype": "success", "is_error": false,
        "session_id": "s", "total_cost_usd": 0.01, "result": "ok",
        "usage": {"input_tokens": 45410, "output_tokens": 1234}});
    world.play(json!({"steps": {"impl": {"say": [result], "result": "none"}}}));
    world
        .kumite(&["run", "login", "--until", "impl"])
        .assert_code(0);
    for args in [&["status", "login"][..], &["cost", "login"]] {
        let said = world.kumite(args).stdout;
        assert!(said.contains("45,410"), "{args:?}: {said}");
        assert!(said.contains("1,234"), "{args:?}: {said}");
    }
}

#[test]
fn a_finished_spec_that_is_run_again_keeps_its_cost() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"default": {"cost": 0.25}}));
    world.kumite(&["run", "login"]).assert_code(0);
    let spent = world.status("login")["cost_usd"].clone();
    assert_eq!(spent, 0.5);
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
    assert_eq!(world.status("login")["cost_usd"], spent);
}

#[test]
fn the_help_names_every_exit_code() {
    let help = World::new().kumite(&["--help"]).stdout;
    // The width of the terminal breaks its lines anywhere.
    let help: Vec<&str> = help.split_whitespace().collect();
    let help = help.join(" ");
    for code in [
        "129 hung up",
        "130 interrupted",
        "143 terminated",
        "75 quota",
    ] {
        assert!(help.contains(code), "{code}: {help}");
    }
}

#[test]
fn settings_are_shown_without_the_secrets_of_agents() {
    let world = World::new();
    let key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz";
    world.write(
        ".kiro/kumite.toml",
        &format!(
            "[agents.claude]\nargs = [\"--api-key\", \"{key}\"]\nenv = {{ API_KEY = \"{key}\" }}\n"
        ),
    );
    for args in [&["config", "show"][..], &["config", "show", "--json"]] {
        let out = world.kumite(args);
        out.assert_code(0);
        assert!(out.stdout.contains("--api-key"), "{out:?}");
        assert!(!out.stdout.contains(key), "{out:?}");
    }
}

#[test]
fn a_replay_says_that_there_are_no_tasks_and_no_reply_yet() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    let said = world.kumite(&["replay", "login"]).stdout;
    assert!(said.contains("no tasks.md yet"), "{said}");
    assert!(said.contains("review 1: no reply yet"), "{said}");
    assert!(!said.contains("tasks.md cannot be read"), "{said}");
    assert!(!said.contains("review 1: nothing"), "{said}");
}

/// A contest needs threads where a run needs processes.
#[test]
fn a_contest_on_a_machine_without_room_does_not_break_down() {
    for room in [3, 5, 7, 9, 12, 16] {
        let mut world = World::new();
        let everybody = fs::Permissions::from_mode(0o777);
        fs::set_permissions(world.root(), everybody).unwrap();
        let user = 4100 + room;
        let words =
            format!("setpriv --reuid={user} --regid={user} --clear-groups prlimit --nproc={room}");
        world.wrapper = words.split(' ').map(str::to_owned).collect();
        let out = world.kumite(&["contest", "demo", "--dir", "demo"]);
        if out.stderr.contains("setpriv: ") {
            return needs_root("another user");
        }
        assert_ne!(out.code, 101, "{room}: {out:?}");
        assert!(!out.stderr.contains("panicked"), "{room}: {out:?}");
    }
}

#[test]
fn what_the_demo_offers_stands_in_columns() {
    let world = World::new();
    let out = world.kumite(&["demo", "--fast", "--dir", "demo"]);
    out.assert_code(0);
    let rows = out
        .stderr
        .lines()
        .skip_while(|row| !row.starts_with("Look around"));
    let offers: Vec<&str> = rows.skip(1).filter(|row| row.starts_with("  ")).collect();
    assert!(offers.len() > 3, "{out:?}");
    let second = |row: &&str| {
        row.trim_start().find("  ").map(|gap| {
            let rest = row.trim_start()[gap..].trim_start().len();
            row.len() - rest
        })
    };
    let columns: Vec<Option<usize>> = offers.iter().map(second).collect();
    assert!(
        columns.windows(2).all(|two| two[0] == two[1]),
        "{offers:#?}"
    );
}
