//! The rows: what ends badly, how, and the state of the run afterwards.

use serde_json::{Value, json};

/// The row's agent is held until the row writes `go`.
pub const HELD: &str = "wait_for";

/// What happens while the agent works.
#[derive(Clone, Copy, Debug)]
pub enum Act {
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

pub struct Row {
    pub name: String,
    pub action: Value,
    pub env: Vec<(&'static str, &'static str)>,
    pub act: Act,
    /// The state of the run afterwards.
    pub stands: &'static str,
}

pub fn row(name: &str, action: Value, act: Act, stands: &'static str) -> Row {
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

pub const DONE: &str = "done until_reached";
const FAILED: &str = "failed agent_failed";
const STOPPED: &str = "stopped stopped_by_user";
pub const INTERRUPTED: &str = "stopped interrupted";
const HUNG: &str = "failed agent_hung";
const TIMEOUT: &str = "failed timeout";

const SILENCE: &str = "KUMITE_AGENT__SILENCE_TIMEOUT";
const STEP: &str = "KUMITE_RUN__STEP_TIMEOUT";

/// Agents that end by themselves.
pub fn ends() -> Vec<Row> {
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

/// Everything that can happen, to agents that leave processes in each way.
pub fn children() -> Vec<Row> {
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
        // A lost agent is started once more.
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

/// Cases in which more than one thing goes wrong.
pub fn worse() -> Vec<Row> {
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
