//! Wrong names, wrong files, wrong environments: a clear message, the right exit code, and nothing
//! changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Out, World, fake_agent, until};

/// Everything in a project, by its path.
pub fn tree(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    collect(world.root(), &mut all);
    all
}

fn collect(dir: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => {
                all.insert(format!("{}/", path.display()), Vec::new());
                collect(&path, all);
            }
            false => {
                all.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
}

/// It is refused with these words, nothing is on stdout, and no file has changed.
#[track_caller]
pub fn refused(world: &World, args: &[&str], words: &[&str]) -> Out {
    let before = tree(world);
    let out = world.kumite(args);
    out.assert_code(5);
    for word in words {
        assert!(out.stderr.contains(word), "no {word:?} in {out:#?}");
    }
    assert_eq!(out.stdout, "", "{args:?}");
    assert!(!out.stderr.contains("panicked"), "{out:#?}");
    let after = tree(world);
    assert!(
        before == after,
        "{args:?} changed {:?}",
        changed(&before, &after)
    );
    out
}

/// Whether a message names a line of a file.
pub fn names(said: &str, file: &str, line: u32) -> bool {
    said.contains(&format!("{file}:{line}")) || said.contains(&format!("{file}: line {line},"))
}

fn changed<'a>(
    before: &'a BTreeMap<String, Vec<u8>>,
    after: &'a BTreeMap<String, Vec<u8>>,
) -> Vec<&'a String> {
    let all = before.keys().chain(after.keys());
    all.filter(|path| before.get(*path) != after.get(*path))
        .collect()
}

/// Every command that takes the name of a spec.
const COMMANDS: [&str; 12] = [
    "run", "resume", "review", "status", "stop", "pause", "reset", "approve", "reject", "log",
    "events", "replay",
];

#[test]
fn an_unknown_spec_is_refused_by_every_command_with_the_place_and_the_remedy() {
    let world = World::new();
    world.spec("login");
    for command in COMMANDS {
        let words = [
            "there is no spec nope",
            ".kiro/specs/nope",
            "`kumite new nope`",
        ];
        refused(&world, &[command, "nope"], &words);
    }
    refused(
        &world,
        &["run", "login", "nope"],
        &["there is no spec nope"],
    );
}

#[test]
fn a_bad_name_is_refused_by_every_command_and_leads_nowhere() {
    let world = World::new();
    world.spec("login");
    world.write("x/spec.json", "{}");
    let long = "a".repeat(300);
    let names = [
        "Login",
        "log in",
        "",
        ".",
        "..",
        "../x",
        "../../x",
        "login/../login",
        "/etc",
        "a/b",
        "login.",
        "ログイン",
        "login\n",
        "$(id)",
        long.as_str(),
    ];
    for name in names {
        for command in COMMANDS.iter().chain(&["new"]) {
            refused(&world, &[command, name], &["name"]);
        }
    }
}

#[test]
fn a_project_that_is_none_is_said_with_the_remedy() {
    let world = World::new();
    fs::remove_dir_all(world.path(".kiro")).unwrap();
    for args in [&["run", "login"][..], &["status"], &["doctor"]] {
        refused(&world, args, &["no .kiro directory", "`kumite init`"]);
    }
}

/// Ways in which spec.json can be unreadable, with the line (0: none) and a word of the message.
fn broken() -> Vec<(&'static str, Vec<u8>, u32, &'static str)> {
    let mut huge = br#"{"feature_name": "login", "filler": ""#.to_vec();
    huge.resize(50 * 1024 * 1024, b'x');
    huge.extend(br#""}"#);
    let cut_off = b"{\n  \"phase\": \"tas".to_vec();
    let no_text = b"{\n\"phase\": \"\xff\xfe\"}".to_vec();
    vec![
        ("empty", b"".to_vec(), 0, "empty"),
        ("blank", b" \n\n".to_vec(), 0, ""),
        ("cut off", cut_off, 2, "cut off"),
        ("not UTF-8", no_text, 0, "UTF-8"),
        ("an array", b"[1, 2]".to_vec(), 0, "object"),
        ("a comma too many", b"{\n\"a\": 1,\n}".to_vec(), 3, ""),
        ("50 MB", huge, 0, "52428802 bytes"),
    ]
}

#[test]
fn a_broken_spec_json_is_refused_and_left_as_it_is_and_status_lists_it_beside_the_others() {
    for (what, bytes, line, word) in broken() {
        let world = World::new();
        world.spec("login");
        world.spec("other");
        fs::write(world.path(".kiro/specs/login/spec.json"), &bytes).unwrap();
        let words = ["login/spec.json", word];
        let said = refused(&world, &["run", "other", "login"], &words).stderr;
        assert!(
            line == 0 || names(&said, "spec.json", line),
            "{what}: {said}"
        );
        let all = world.kumite(&["status", "--json"]);
        all.assert_code(0);
        let specs = all.json().remove(0)["specs"].clone();
        let reasons: Vec<&Value> = specs
            .as_array()
            .unwrap()
            .iter()
            .map(|s| &s["reason"])
            .collect();
        assert_eq!(reasons, [&json!("spec_unreadable"), &Value::Null], "{what}");
    }
}

#[test]
fn a_spec_json_that_is_a_directory_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.path(".kiro/specs/login/spec.json")).unwrap();
    refused(&world, &["run", "login"], &["spec.json", "directory"]);
}

#[test]
fn a_pipe_in_place_of_a_file_is_waited_for_by_nobody() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    let pipe = |name: &str| {
        let path = world.path(".kiro/specs/login").join(name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe("tasks.md");
    pipe("design.md");
    assert_eq!(world.status("login")["tasks"]["total"], 0);
    pipe("spec.json");
    let out = world.kumite(&["run", "login"]);
    out.assert_code(5);
    assert!(out.stderr.contains("it is not a file"), "{out:?}");
}

#[test]
fn a_current_directory_that_is_gone_is_said() {
    let world = World::new();
    let script = format!(
        "mkdir gone && cd gone && rmdir ../gone && exec {} status",
        env!("CARGO_BIN_EXE_kumite")
    );
    let mut shell = Command::new("sh");
    let out = shell.args(["-c", &script]).current_dir(world.root());
    let out = out.output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("current directory"), "{said}");
}

#[test]
fn a_tasks_md_of_100_000_lines_is_counted_exactly() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    let open = (1..=50_000).map(|n| format!("- [ ] {n}. Task\n  Some text of it\n"));
    let text = open.collect::<String>();
    world.write(".kiro/specs/login/tasks.md", &text);
    assert_eq!(
        world.status("login")["tasks"],
        json!({"done": 0, "total": 50_000})
    );
    world.play(json!({"steps": {"impl": [{"tick": 49_999}, {}]}}));
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(out.notices("impl_retry")[0]["open"], 1);
    assert_eq!(
        world.status("login")["tasks"],
        json!({"done": 50_000, "total": 50_000})
    );
}

#[test]
fn without_git_home_and_configuration_a_spec_walks_all_the_same() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    let out = Command::new(env!("CARGO_BIN_EXE_kumite"))
        .args(["run", "login"])
        .current_dir(world.root())
        .env_clear()
        .env("PATH", world.path("no-programs"))
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert_eq!(world.status("login")["state"], "done");
}

#[test]
fn a_home_that_is_no_directory_is_no_home() {
    let mut world = World::new();
    world.spec_ready_for_impl("login");
    world.env = vec![
        ("HOME".to_owned(), "/dev/null".to_owned()),
        ("XDG_CONFIG_HOME".to_owned(), "/dev/null".to_owned()),
    ];
    world.kumite(&["run", "login"]).assert_code(0);
}

#[test]
fn a_project_path_longer_than_a_socket_address_works_with_a_second_kumite() {
    let mut world = World::new();
    let deep = format!("{}/{}", "d".repeat(100), "e".repeat(100));
    let project = world.path(&deep);
    fs::create_dir_all(project.join(".kiro")).unwrap();
    fs::rename(world.path(".kiro"), project.join(".kiro")).unwrap();
    world.spec_ready_for_impl("login");
    fs::rename(world.path(".kiro/specs"), project.join(".kiro/specs")).unwrap();
    fs::remove_dir(world.path(".kiro")).unwrap();
    world.play(json!({"steps": {"impl": {"touch": ["impl"], "hang": "middle"}}}));
    world.env = vec![(
        "FAKE_PLAY".to_owned(),
        world.path("play.json").display().to_string(),
    )];
    let running = world.start(&["-C", &deep, "run", "login"]);
    world.wait_for("impl");
    world.kumite(&["-C", &deep, "stop", "login"]).assert_code(0);
    running.wait().assert_code(3);
    let processes = || world.kumite(&["-C", &deep, "doctor", "--dry-run"]);
    assert!(processes().is_well(), "{:?}", processes());
}

#[test]
fn a_spec_directory_and_a_spec_json_that_are_links_are_followed_and_stay_links() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    fs::rename(world.path(".kiro/specs/login"), world.path("elsewhere")).unwrap();
    fs::rename(world.path("elsewhere/spec.json"), world.path("real.json")).unwrap();
    let link = std::os::unix::fs::symlink::<std::path::PathBuf, _>;
    link(world.path("elsewhere"), world.path(".kiro/specs/login")).unwrap();
    link(world.path("real.json"), world.path("elsewhere/spec.json")).unwrap();
    world
        .kumite(&["run", "login", "--until", "impl"])
        .assert_code(0);
    assert!(world.path(".kiro/specs/login").is_symlink());
    assert!(world.path("elsewhere/spec.json").is_symlink());
    assert!(world.read("real.json").contains("implementation-complete"));
}

#[test]
fn a_spec_that_is_removed_while_it_runs_pauses_and_its_place_stays_empty_of_spec_json() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"touch": ["impl"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("impl");
    // Its agent keeps writing its log there.
    until("the spec to be gone", || {
        fs::remove_dir_all(world.path(".kiro/specs/login")).is_ok()
    });
    world.write("go", "");
    let out = running.wait();
    out.assert_code(3);
    let end = out.notices("run_ended").pop().unwrap();
    assert_eq!(end["reason"], "spec_unreadable", "{end}");
    assert!(!world.path(".kiro/specs/login/spec.json").exists());
    assert!(!world.path(".kiro/specs/login/events.jsonl").exists());
    world.assert_nothing_left();
}

#[test]
fn a_file_where_a_directory_is_wanted_is_named() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.write(".kiro/runtime", "in the way");
    let out = world.kumite(&["run", "login"]);
    out.assert_code(1);
    assert!(out.stderr.contains(".kiro/runtime"), "{out:?}");
    assert_eq!(world.read(".kiro/runtime"), "in the way");
    fs::remove_file(world.path(".kiro/runtime")).unwrap();
    world.write(".kiro/specs/login/logs", "in the way");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(1);
    let end = out.notices("run_ended").pop().unwrap();
    assert!(
        end["message"]
            .as_str()
            .unwrap()
            .contains("specs/login/logs"),
        "{end}"
    );
    fs::remove_file(world.path(".kiro/specs/login/logs")).unwrap();
    world.kumite(&["resume", "login"]).assert_code(0);
}

#[test]
fn an_agent_program_that_is_not_there_or_is_no_program_is_named() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    for program in ["/no/such/agent", "/etc/passwd", "."] {
        world.write(
            ".kiro/kumite.toml",
            &format!("[agents.claude]\nprogram = {program:?}\n"),
        );
        let out = world.kumite(&["run", "login", "--json"]);
        out.assert_code(1);
        let end = out.notices("run_ended").pop().unwrap();
        assert_eq!(end["reason"], "agent_missing", "{end}");
        assert!(end["message"].as_str().unwrap().contains(program), "{end}");
    }
    world.settings("");
    assert!(fake_agent().exists());
    world.kumite(&["run", "login"]).assert_code(0);
    until("no record to be left", || {
        let agents = world.path(".kiro/runtime/kumite/runs/login/agents");
        fs::read_dir(agents).unwrap().next().is_none()
    });
}
