//! More than forty ways to end badly, for an agent, its supervisor or kumite. After each of them no
//! process of the agent may be alive, and the run must be in the right state. Processes are found
//! from outside: by the environment, or by the path of the row's own directory in a command line,
//! which even processes with a cleared environment have.

mod rows;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rows::{Act, DONE, HELD, INTERRUPTED, Row, children, ends, row, worse};
use serde_json::json;

use crate::world::{Running, World, is_alive, kill, text, until};

#[test]
fn after_forty_bad_endings_and_more_nothing_is_left() {
    let rows: Vec<Row> = [ends(), children(), worse()]
        .into_iter()
        .flatten()
        .collect();
    assert!(rows.len() >= 40);
    play(&rows, &[]);
}

/// Without cgroups the engine inherits what a killed supervisor leaves.
#[test]
fn without_cgroups_a_living_engine_ends_what_a_killed_supervisor_left() {
    let wrapper = without_cgroups();
    let by_supervisor = |row: &Row| {
        matches!(row.act, Act::Supervisor(_)) || row.name == "the agent kills its supervisor"
    };
    let rows = children().into_iter().chain(worse());
    let rows: Vec<Row> = rows.filter(by_supervisor).collect();
    assert!(rows.len() >= 7);
    let mut world = World::new();
    world.wrapper = wrapper.clone();
    let doctor = world.kumite(&["doctor", "--json"]).json().remove(0);
    let cgroup = &doctor["containment"]["cgroup_v2"];
    assert_eq!(
        cgroup["available"], false,
        "this test is about a machine without: {doctor}"
    );
    assert!(text(&cgroup["why"]).contains("cgroup"), "{doctor}");
    play(&rows, &wrapper);
}

/// A command that starts a kumite which sees no cgroups. A user who may not mount usually has none
/// to hide.
fn without_cgroups() -> Vec<String> {
    let hide = "mount -t tmpfs none /sys/fs/cgroup && exec \"$0\" \"$@\"";
    let words = ["unshare", "--mount", "sh", "-c", hide];
    let tried = Command::new(words[0])
        .args(&words[1..])
        .arg("true")
        .stderr(Stdio::null())
        .status();
    match tried.is_ok_and(|status| status.success()) {
        true => words.map(str::to_owned).to_vec(),
        false => Vec::new(),
    }
}

/// A process with a cleared environment that has lost supervisor and engine is known only by its
/// cgroup.
#[test]
fn a_daemon_that_hides_is_found_by_its_cgroup_or_doctor_says_that_it_would_not_be() {
    let world = World::new();
    let doctor = world.kumite(&["doctor", "--json"]).json().remove(0);
    let cgroup = &doctor["containment"]["cgroup_v2"];
    if cgroup["available"] == false {
        assert!(!text(&cgroup["why"]).is_empty(), "{doctor}");
        return;
    }
    let held = json!({HELD: "go", "children": ["no_env"], "touch": ["ready"]});
    play(
        &[
            row(
                "hidden: both, then doctor",
                held.clone(),
                Act::BothThenDoctor,
                INTERRUPTED,
            ),
            row(
                "hidden: all, then doctor",
                held.clone(),
                Act::AllThenDoctor,
                INTERRUPTED,
            ),
            row(
                "hidden: both, then run",
                json!([held, {}]),
                Act::BothThenRun,
                DONE,
            ),
        ],
        &[],
    );
}

/// Plays the rows side by side, and reports everything that went wrong.
fn play(rows: &[Row], wrapper: &[String]) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let played = catch_unwind(AssertUnwindSafe(|| end_badly(row, wrapper)));
                    if let Err(panic) = played {
                        let why = panic.downcast::<String>().map(|why| *why);
                        let why = why.unwrap_or_else(|_| "a panic without words".to_owned());
                        wrong.lock().unwrap().push(format!("{}: {why}", row.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A failing row leaves nothing behind either.
struct Cleared<'a>(&'a World);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        everyone(self.0)
            .into_iter()
            .for_each(|pid| kill(pid, "KILL"));
    }
}

fn end_badly(row: &Row, wrapper: &[String]) {
    let mut world = World::new();
    world.wrapper = wrapper.to_vec();
    world.spec("login");
    world.play(json!({"steps": {"requirements": row.action}}));
    let short = [
        ("KUMITE_AGENT__TERM_GRACE", "300ms"),
        ("KUMITE_AGENT__EXIT_GRACE", "200ms"),
    ];
    let env = short.iter().chain(&row.env);
    world.env = env
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let _cleared = Cleared(&world);
    let running = world.start(&["run", "login", "--until", "requirements", "--json"]);
    if !matches!(row.act, Act::Nothing) {
        world.wait_for("ready");
    }
    act(row.act, &world, running);
    until("everything to be gone", || everyone(&world).is_empty());
    assert_eq!(world.stands("login"), row.stands);
}

fn act(act: Act, world: &World, running: Running) {
    let launch = world.launches().pop().unwrap_or_default();
    let pid = |key: &str| u32::try_from(launch[key].as_u64().unwrap()).unwrap();
    let die = |pid: u32| {
        kill(pid, "KILL");
        until("its death", || !is_alive(pid));
    };
    match act {
        Act::Nothing => {}
        Act::Agent(signal) => kill(pid("pid"), signal),
        Act::Supervisor(signal) => kill(pid("ppid"), signal),
        Act::Kumite(signals) => {
            for signal in signals {
                running.signal(signal);
            }
        }
        Act::Stop => drop(world.kumite(&["stop", "login"])),
        Act::SuspendedThenStop => {
            kill(pid("pid"), "STOP");
            world.kumite(&["stop", "login"]).assert_code(0);
        }
        Act::DeafSupervisorThenStop => {
            kill(pid("ppid"), "STOP");
            world.kumite(&["stop", "login"]).assert_code(0);
        }
        Act::KumiteThenDoctor
        | Act::KumiteThenRun
        | Act::KumiteThenStop
        | Act::BothThenDoctor
        | Act::BothThenRun
        | Act::AllThenDoctor => {
            running.signal("KILL");
        }
    }
    running.wait();
    match act {
        Act::BothThenDoctor | Act::BothThenRun => die(pid("ppid")),
        Act::AllThenDoctor => {
            die(pid("ppid"));
            die(pid("pid"));
        }
        _ => {}
    }
    match act {
        Act::KumiteThenDoctor | Act::BothThenDoctor | Act::AllThenDoctor => {
            world.kumite(&["doctor"]).assert_code(0);
            assert_eq!(everyone(world), [0; 0], "doctor has returned");
        }
        Act::KumiteThenStop => drop(world.kumite(&["stop", "login"])),
        Act::KumiteThenRun | Act::BothThenRun => {
            world.go();
            let again = ["run", "login", "--until", "requirements"];
            world.kumite(&again).assert_code(0);
        }
        _ => {}
    }
}

/// All processes of this world: kumites, supervisors, agents and what they left.
fn everyone(world: &World) -> Vec<u32> {
    let root = world.root().to_str().unwrap().as_bytes();
    let names_it = |file: String| {
        let bytes = fs::read(file).unwrap_or_default();
        bytes.windows(root.len()).any(|it| it == root)
    };
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| is_alive(*pid))
        .filter(|pid| {
            names_it(format!("/proc/{pid}/environ")) || names_it(format!("/proc/{pid}/cmdline"))
        })
        .collect()
}
