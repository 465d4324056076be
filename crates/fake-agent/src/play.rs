//! The play: a JSON file that says what each launch does.
//!
//! Its path is `$FAKE_PLAY`, else the nearest `play.json` in the cwd or above it. Without a play
//! every step is done well. Paths in a play are relative to its directory ("the play's directory"),
//! except those of `write`, which are relative to `.kiro/specs/<spec>/` in the cwd.
//!
//! ```json
//! { "default": { "sleep_ms": 20 },
//!   "steps": { "reply": [ { "fix": 2 }, {} ],
//!              "login/impl": { "tick": 1 },
//!              "inspect/2": { "verdict": "nogo" } } }
//! ```
//!
//! The most specific key wins: `spec/step/round`, `spec/step`, `step/round`, `step`, `default`;
//! actions are not merged. If a key has a list, its k-th launch plays the k-th action, and all later
//! launches repeat the last one. A play with an unknown key is refused: a message on stderr, exit
//! code 2, and a launch line with `error`.
//!
//! An action, in the order in which it happens; every key may be left out:
//!
//! | Key | Means |
//! |---|---|
//! | `ignore_term` | true: SIGTERM, SIGINT and SIGHUP do nothing, also to its children |
//! | `hang: "start"` | sleeps for ever before any output |
//! | | *the init line is printed* |
//! | `children` | list of `"child"` (same group), `"group"` (its own), `"setsid"`, `"double_fork"`, `"no_env"` (double fork, empty environment), `"deaf"` (setsid, ignores SIGTERM): they stay when the agent ends, and sleep 600 s; their ids are in `children.txt` |
//! | `zombies` | children that end at once and are never waited for |
//! | `close_output` | true: closes stdout and stderr, and goes on |
//! | `kill_supervisor` | true: kills its parent with SIGKILL, and makes sure that it does not die with it |
//! | `touch` | list of files to create now |
//! | `noise`, `noise_mb` | one of, or a list of: `"invalid_utf8"`, `"crlf"` (all lines), `"huge_line"` and `"flood"` (100 MB), `"unknown_events"`, `"stderr"` (1 MB) |
//! | `say` | list of what is printed now: an object as an event, a text as it is, with a newline |
//! | `complain` | list of lines for stderr |
//! | `sleep_ms` | sleeps |
//! | `wait_for` | blocks until this file exists |
//! | `hang: "middle"`, `hang_unless_resumed` | sleeps for ever; the latter unless started with `--resume` |
//! | | *the work is done, see below* |
//! | `spec_json` | a JSON merge patch of spec.json |
//! | `garble_spec_json` | text that replaces spec.json |
//! | `hang: "after_work"` | sleeps for ever |
//! | `sleep_after_ms` | sleeps |
//! | `result`, `cost` | `"success"`, `"error"`, `"none"`, `"twice"`, `"limit"`, `"overload"`, `"session_gone"`, `"max_turns"`, `"half"` (a cut-off line); US dollars (0.01) |
//! | `words` | the text of the result "success" ("The step is done.") |
//! | `resets_in_s` | with `"limit"`: when the announced limit ends (1) |
//! | `hang: "after_result"`, `tail_ms` | sleeps for ever; sleeps |
//! | `touch_end` | list of files to create now |
//! | `signal` | the number of a signal to die of |
//! | `exit` | exit code; 0, or 1 after the results error, limit, overload, session_gone and max_turns |
//!
//! `heartbeat_ms` prints a `tool_progress` line that often during all waiting after the init line.
//! The result does not change the work. An agent that fails and does no work also needs
//! `"write": "nothing"`.
//!
//! The work:
//!
//! | Key | Means |
//! |---|---|
//! | `write` | `"good"`; `"nothing"`; `"half"` (cut off within the evidence), `"empty"`, `"touch"`: spec.json stays as it is; or `{ "file": "content" }`: good work, but these files are added, or replace the good ones; a file with null is not written |
//! | `tasks` | boxes in the tasks.md of the step tasks (3) |
//! | `fix`, `discuss` | the counts of a reply (0, 0) |
//! | `counts` | where they are written: `"both"`, `"table"`, `"json"`, `"none"`, `"conflict"` (spec.json says one more to fix) |
//! | `names` | in spec.json: `"seed"` (`fixRequiredCount`) or `"shipped"` (`fixRequired`) |
//! | `tick` | open boxes that impl ticks: a number, or `"all"` |
//! | `verdict` | of an inspection: `"go"`, `"nogo"` |
//! | `verdict_in` | where it is written: `"both"`, `"report"`, `"json"`, `"none"`, `"conflict"` (spec.json says the opposite) |

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::launch::Launch;

/// What `KUMITE_STEP` may say.
const STEPS: [&str; 9] = [
    "requirements",
    "design",
    "tasks",
    "review",
    "reply",
    "impl",
    "inspect",
    "fix",
    "merge",
];

const DEFAULT: &str = "default";

/// Non-empty lists of actions by key; `default` is always present.
pub struct Play {
    actions: BTreeMap<String, Vec<Action>>,
}

impl Play {
    /// The play for an agent in `cwd`, and the directory of its paths and logs.
    pub fn find(cwd: &Path) -> (PathBuf, Result<Play, String>) {
        let path = match env::var_os("FAKE_PLAY").filter(|path| !path.is_empty()) {
            Some(path) => Some(cwd.join(path)),
            None => cwd
                .ancestors()
                .map(|dir| dir.join("play.json"))
                .find(|path| path.is_file()),
        };
        match path {
            Some(path) => (path.parent().unwrap_or(cwd).to_owned(), Play::read(&path)),
            None => (cwd.to_owned(), Play::parse("{}")),
        }
    }

    fn read(path: &Path) -> Result<Play, String> {
        let read = || Play::parse(&fs::read_to_string(path).map_err(|error| error.to_string())?);
        read().map_err(|error| format!("cannot follow the play {}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Play, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            #[serde(default = "empty_object")]
            default: Value,
            #[serde(default)]
            steps: Map<String, Value>,
        }
        let raw: Raw = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut actions = BTreeMap::from([(DEFAULT.to_owned(), actions_of(DEFAULT, raw.default)?)]);
        for (key, value) in raw.steps {
            if !names_a_step(&key) {
                let steps = STEPS.join(", ");
                return Err(format!(
                    "steps: `{key}` is not `spec/step/round`, `spec/step`, `step/round` or `step` \
                     with a step out of {steps}"
                ));
            }
            let found = actions_of(&key, value)?;
            actions.insert(key, found);
        }
        Ok(Play { actions })
    }

    /// The most specific key in this play for the launch.
    pub fn key_for(&self, launch: &Launch) -> &str {
        let (spec, step) = (launch.spec.as_deref(), launch.step.as_deref());
        let round = launch.round.map(|round| round.to_string());
        let round = round.as_deref();
        [
            &[spec, step, round][..],
            &[spec, step],
            &[step, round],
            &[step],
        ]
        .into_iter()
        .filter_map(|parts| parts.iter().copied().collect::<Option<Vec<&str>>>())
        .find_map(|parts| self.actions.get_key_value(&parts.join("/")))
        .map_or(DEFAULT, |(key, _)| key)
    }

    /// The actions of the launches under `key`, one after the other. Never empty.
    pub fn actions(&self, key: &str) -> &[Action] {
        &self.actions[key]
    }
}

fn empty_object() -> Value {
    Value::Object(Map::new())
}

fn names_a_step(key: &str) -> bool {
    let is_step = |part: &str| STEPS.contains(&part);
    let is_round = |part: &str| part.parse::<u32>().is_ok();
    match key.split('/').collect::<Vec<_>>()[..] {
        [step] => is_step(step),
        [first, second] => is_step(second) || is_step(first) && is_round(second),
        [_, step, round] => is_step(step) && is_round(round),
        _ => false,
    }
}

fn actions_of(key: &str, value: Value) -> Result<Vec<Action>, String> {
    match one_or_many(value) {
        Ok(actions) if actions.is_empty() => Err(format!("{key}: the list of actions is empty")),
        Ok(actions) => Ok(actions),
        Err(error) => Err(format!("{key}: {error}")),
    }
}

fn one_or_many<T: DeserializeOwned>(value: Value) -> serde_json::Result<Vec<T>> {
    match value {
        Value::Array(values) => values.into_iter().map(serde_json::from_value).collect(),
        value => Ok(vec![serde_json::from_value(value)?]),
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Action {
    pub write: Write,
    pub tasks: Option<u32>,
    pub fix: u32,
    pub discuss: u32,
    pub counts: Counts,
    pub names: Names,
    pub tick: Tick,
    pub verdict: Verdict,
    pub verdict_in: VerdictIn,
    pub spec_json: Option<Value>,
    pub garble_spec_json: Option<String>,

    pub sleep_ms: u64,
    pub sleep_after_ms: u64,
    pub tail_ms: u64,
    pub heartbeat_ms: Option<u64>,
    pub wait_for: Option<String>,
    pub touch: Vec<String>,
    pub touch_end: Vec<String>,

    pub result: Ending,
    pub words: Option<String>,
    pub cost: Option<f64>,
    pub resets_in_s: Option<i64>,
    pub exit: Option<u8>,
    pub signal: Option<i32>,

    pub hang: Option<Hang>,
    pub hang_unless_resumed: bool,
    pub ignore_term: bool,
    #[serde(deserialize_with = "noises")]
    pub noise: Vec<Noise>,
    pub noise_mb: Option<usize>,
    pub say: Vec<Value>,
    pub complain: Vec<String>,
    pub children: Vec<ChildKind>,
    pub zombies: u32,
    pub close_output: bool,
    pub kill_supervisor: bool,
}

impl Action {
    pub fn exit_code(&self) -> u8 {
        self.exit.unwrap_or(match self.result {
            Ending::Error
            | Ending::Limit
            | Ending::Overload
            | Ending::SessionGone
            | Ending::MaxTurns => 1,
            Ending::Success | Ending::None | Ending::Twice | Ending::Half => 0,
        })
    }
}

fn noises<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Noise>, D::Error> {
    one_or_many(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// How the step's artefact is produced.
#[derive(Default, Deserialize)]
#[serde(try_from = "Value")]
pub enum Write {
    #[default]
    Good,
    Nothing,
    Half,
    Empty,
    Touch,
    Files(BTreeMap<String, Option<String>>),
}

impl TryFrom<Value> for Write {
    type Error = String;

    fn try_from(value: Value) -> Result<Write, String> {
        match value.as_str() {
            Some("good") => Ok(Write::Good),
            Some("nothing") => Ok(Write::Nothing),
            Some("half") => Ok(Write::Half),
            Some("empty") => Ok(Write::Empty),
            Some("touch") => Ok(Write::Touch),
            _ => serde_json::from_value(value).map(Write::Files).map_err(|_| {
                "`write` is good, nothing, half, empty, touch, or an object of files and their text"
                    .to_owned()
            }),
        }
    }
}

/// How many open boxes impl ticks.
#[derive(Default, Deserialize)]
#[serde(try_from = "Value")]
pub enum Tick {
    #[default]
    All,
    Some(u64),
}

impl TryFrom<Value> for Tick {
    type Error = String;

    fn try_from(value: Value) -> Result<Tick, String> {
        match (value.as_str(), value.as_u64()) {
            (Some("all"), _) => Ok(Tick::All),
            (_, Some(count)) => Ok(Tick::Some(count)),
            _ => Err(format!("`tick` is a number or \"all\", not {value}")),
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    #[default]
    Both,
    Table,
    Json,
    None,
    Conflict,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Names {
    #[default]
    Seed,
    Shipped,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    #[default]
    Go,
    Nogo,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictIn {
    #[default]
    Both,
    Report,
    Json,
    None,
    Conflict,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    #[default]
    Success,
    Error,
    None,
    Twice,
    Limit,
    Overload,
    SessionGone,
    MaxTurns,
    Half,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Hang {
    Start,
    Middle,
    AfterWork,
    AfterResult,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    InvalidUtf8,
    Crlf,
    HugeLine,
    Flood,
    UnknownEvents,
    Stderr,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildKind {
    Child,
    Group,
    Setsid,
    DoubleFork,
    NoEnv,
    Deaf,
}
