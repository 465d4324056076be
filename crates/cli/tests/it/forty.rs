//! More than forty ways to end badly, for an agent, its supervisor or kumite. After each of them
//! nothing may live that the agent started, and the run has to stand where it should. Who lives is
//! seen from outside: by the environment, or by the path of the row's own directory in a command
//! line, which also those carry who threw their environment away.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::world::{Running, World, is_alive, kill, text, until};

/// The row's agent is held until the row says `go`.
const HELD: &str = "wait_for";

/// What happens to whom while the agent works.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Nothing: the agent ends by itself, or a clock ends it.
    Nothing,
    Stop,
    /// These signals to kumite, one after the other.
    Kumite(&'static [&'static str]),
    Agent(&'static str),
    Supervisor(&'static str),
    /// The agent is stopped (SIGSTOP), then its run.
    SuspendedThenStop,
    /// The same with its supervisor.
    DeafSupervisorThenStop,
    KumiteThenDoctor,
    KumiteThenRun,
    KumiteThenStop,
    /// Kumite and the supervisor are killed.
    BothThenDoctor,
    BothThenRun,
    /// All three are killed.
    AllThenDoctor,
}

struct Row {
    name: String,
    action: Value,
    env: Vec<(&'static str, &'static str)>,
    act: Act,
    /// How the run stands afterwards.
    stands: &'static str,
}

fn row(name: &str, action: Value, act: Act, stands: &'static str) -> Row {
    Row {
        name: name.to_owned(),
        action,
        env: Vec::new(),
        act,
        stands,
    }
}

impl Row {
    fn with(mut self, name: &'static str, value: &'static str) -> Row {
        self.env.push((name, value));
        self
    }
}

const DONE: &str = "done until_reached";
const FAILED: &str = "failed agent_failed";
const STOPPED: &str = "stopped stopped_by_user";
const INTERRUPTED: &str = "stopped interrupted";
const HUNG: &str = "failed agent_hung";
const TIMEOUT: &str = "failed timeout";

const SILENCE: &str = "KUMITE_AGENT__SILENCE_TIMEOUT";
const STEP: &str = "KUMITE_RUN__STEP_TIMEOUT";

/// Agents that end by themselves.
fn ends() -> Vec<Row> {
    let mut rows = Vec::new();
    for code in [1, 2, 126, 127, 137, 255] {
        let action = json!({"write": "nothing", "result": "none", "exit": code});
        let name = format!("exit code {code}");
        rows.push(row(&name, action, Act::Nothing, FAILED));
    }
    for signal in [1, 2, 3, 6, 9, 11, 13, 15] {
        let action = json!({"result": "none", "signal": signal, "children": ["setsid"]});
        let name = format!("dies of signal {signal}");
        rows.push(row(&name, action, Act::Nothing, FAILED));
    }
    let quiet = |name: &str, action: Value, stands| {
        row(name, action, Act::Nothing, stands).with(SILENCE, "400ms")
    };
    rows.extend([
        row(
            "a bad result",
            json!({"write": "nothing", "result": "error"}),
            Act::Nothing,
            FAILED,
        ),
        row(
            "half a result",
            json!({"result": "half"}),
            Act::Nothing,
            FAILED,
        ),
        row(
            "a good result and a bad exit",
            json!({"exit": 3}),
            Act::Nothing,
            FAILED,
        ),
        row("20 zombies", json!({"zombies": 20}), Act::Nothing, DONE),
        row(
            "a closed output and a good end",
            json!({"close_output": true}),
            Act::Nothing,
            FAILED,
        ),
        row(
            "stays after its result with children that do not listen",
            json!({"hang": "after_result", "ignore_term": true, "children": ["child", "deaf"]}),
            Act::Nothing,
            DONE,
        ),
        quiet("hangs at the start", json!({"hang": "start"}), HUNG),
        quiet(
            "hangs in the middle",
            json!({"hang": "middle", "children": ["setsid"]}),
            HUNG,
        ),
        quiet("hangs after its work", json!({"hang": "after_work"}), HUNG),
        quiet(
            "hangs, does not listen, and so do its children",
            json!({"hang": "middle", "ignore_term": true, "children": ["deaf", "no_env"]}),
            HUNG,
        ),
        quiet(
            "closes its output and lives on",
            json!({"close_output": true, "hang": "middle", "children": ["double_fork"]}),
            HUNG,
        ),
        quiet(
            "stops itself",
            json!({"result": "none", "signal": 19}),
            HUNG,
        ),
    ]);
    rows
}

/// Everything that can happen, to agents that leave processes behind in each way.
fn children() -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in ["child", "group", "setsid", "double_fork", "no_env"] {
        let left = json!([kind]);
        let held = json!({HELD: "go", "children": left, "touch": ["ready"]});
        let done = json!({"children": left});
        let bad = json!({"children": left, "write": "nothing", "result": "none", "exit": 1});
        let busy = json!({"children": left, "hang": "middle", "heartbeat_ms": 50});
        let mut add = |what: &str, action: &Value, act, stands| {
            rows.push(row(&format!("{kind}: {what}"), action.clone(), act, stands));
        };
        add("its agent ends well", &done, Act::Nothing, DONE);
        add("its agent fails", &bad, Act::Nothing, FAILED);
        add("its run is stopped", &held, Act::Stop, STOPPED);
        add("its agent is killed", &held, Act::Agent("KILL"), FAILED);
        // An agent that was lost is started once more.
        let lost = json!([held, {}]);
        add(
            "its supervisor is killed",
            &lost,
            Act::Supervisor("KILL"),
            DONE,
        );
        add(
            "kumite is killed, then doctor",
            &held,
            Act::KumiteThenDoctor,
            INTERRUPTED,
        );
        add(
            "kumite is killed, then run",
            &held,
            Act::KumiteThenRun,
            DONE,
        );
        add("Ctrl-C", &held, Act::Kumite(&["INT"]), INTERRUPTED);
        add(
            "Ctrl-C twice",
            &held,
            Act::Kumite(&["INT", "INT"]),
            INTERRUPTED,
        );
        add("SIGTERM", &held, Act::Kumite(&["TERM"]), INTERRUPTED);
        add("SIGHUP", &held, Act::Kumite(&["HUP"]), INTERRUPTED);
        rows.push(
            row(
                &format!("{kind}: its step times out"),
                busy,
                Act::Nothing,
                TIMEOUT,
            )
            .with(STEP, "700ms"),
        );
    }
    rows
}

/// What takes more than one to go wrong.
fn worse() -> Vec<Row> {
    let held = |children: Value| json!({HELD: "go", "children": children, "touch": ["ready"]});
    let all = json!(["child", "group", "setsid", "double_fork", "deaf"]);
    let many = Value::from(vec!["child"; 50]);
    let stubborn =
        json!({"hang": "middle", "ignore_term": true, "children": all, "touch": ["ready"]});
    let murderer = json!([
        {"kill_supervisor": true, "hang": "middle", "children": ["setsid", "no_env"]}, {}]);
    vec![
        row(
            "50 children and a stop",
            held(many.clone()),
            Act::Stop,
            STOPPED,
        ),
        row(
            "50 children and a good end",
            json!({"children": many}),
            Act::Nothing,
            DONE,
        ),
        row(
            "nobody listens to a stop",
            stubborn.clone(),
            Act::Stop,
            STOPPED,
        ),
        row(
            "nobody listens to Ctrl-C",
            stubborn.clone(),
            Act::Kumite(&["INT"]),
            INTERRUPTED,
        ),
        row(
            "nobody listens to two of them",
            stubborn.clone(),
            Act::Kumite(&["INT", "INT"]),
            INTERRUPTED,
        ),
        row(
            "nobody listens to doctor",
            stubborn,
            Act::KumiteThenDoctor,
            INTERRUPTED,
        ),
        row(
            "a suspended agent is stopped",
            held(all.clone()),
            Act::SuspendedThenStop,
            STOPPED,
        ),
        row(
            "a suspended supervisor is stopped",
            held(json!(["no_env"])),
            Act::DeafSupervisorThenStop,
            STOPPED,
        ),
        row(
            "the supervisor is told to end",
            held(all.clone()),
            Act::Supervisor("TERM"),
            FAILED,
        ),
        row(
            "the agent kills its supervisor",
            murderer,
            Act::Nothing,
            DONE,
        ),
        row(
            "the agent is ended by TERM",
            held(all.clone()),
            Act::Agent("TERM"),
            FAILED,
        ),
        row(
            "kumite is killed, then stop",
            held(all.clone()),
            Act::KumiteThenStop,
            STOPPED,
        ),
        row(
            "both are killed, then doctor",
            held(all.clone()),
            Act::BothThenDoctor,
            INTERRUPTED,
        ),
        row(
            "both are killed, then run",
            json!([held(all.clone()), {}]),
            Act::BothThenRun,
            DONE,
        ),
        row(
            "all are killed, then doctor",
            held(all),
            Act::AllThenDoctor,
            INTERRUPTED,
        ),
    ]
}

#[test]
fn after_forty_bad_endings_and_more_nothing_is_left() {
    let rows: Vec<Row> = [ends(), children(), worse()]
        .into_iter()
        .flatten()
        .collect();
    assert!(rows.len() >= 40);
    play(&rows, &[]);
}

/// Without cgroups it is the engine that inherits what a killed supervisor leaves.
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

/// What starts a kumite that sees no cgroups. Who may not mount has none to hide, as a rule.
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

/// What hides its environment, and has lost supervisor and engine, is known by its cgroup alone.
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

/// Plays the rows side by side, and says all that went wrong.
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

/// All processes that have to do with this world: kumites, supervisors, agents and what they left.
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
