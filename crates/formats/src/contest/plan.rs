//! A contest as it will be played: everything from files, environment and flags, merged and
//! checked. It is kept beside the journal, so that a resumed contest does not depend on files that
//! were edited meanwhile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub task: String,
    pub teams: Vec<Team>,
    pub evaluator: Evaluator,
    pub judge: Judge,
    pub judge_on_final_round: bool,
    pub prompts: Prompts,

    pub rounds_min: u32,
    pub rounds_max: u32,
    /// How many teams work at the same time; if None, all of them.
    pub teams_max: Option<u32>,
    pub submission_timeout_ms: u64,
    pub judgment_timeout_ms: u64,
    pub team_timeout_ms: Option<u64>,
    pub contest_timeout_ms: Option<u64>,
    /// Further tries after a submission failed in a way that may pass.
    pub submission_retries: u32,

    /// In dollars; None means no limit.
    pub budget_usd: Option<f64>,
    /// By model id.
    pub prices: BTreeMap<String, Price>,
    /// The most characters of past submissions in a prompt.
    pub history_chars: usize,
}

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Team {
    pub id: String,
    pub name: String,
    #[serde(flatten)]
    pub kind: TeamKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TeamKind {
    /// One of kumite's agents, in a git worktree of its own.
    Agent(Agent),
    /// A leader that is called over a model's API, with members as its tools.
    Model(Box<ModelTeam>),
    /// Built in, for the demo and for trials of a contest: it needs no key and no program.
    Scripted {
        style: Style,
        /// How long a round takes, so that a person can watch.
        #[serde(default)]
        pace_ms: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// A name in kumite's settings: `claude`, `codex`, or one of `[agents.*]`.
    pub agent: String,
    pub submission: Source,
    pub worktree: Worktree,
}

/// Which part of an agent's work is its submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Its last text.
    Text,
    /// A file in its worktree.
    File(String),
    /// All its changes.
    Diff,
}

kumite_core::words! {
    /// The worktree of an agent at the start of a round.
    pub enum Worktree: name {
        /// The project as it was at the start of the contest (D3: only the prompt carries over).
        Fresh = "fresh",
        /// As its last round left it.
        Kept = "kept",
    }
}

kumite_core::words! {
    /// How the work of a scripted team develops over its rounds.
    pub enum Style: name {
        /// Better in every round.
        Steady = "steady",
        /// Good at once, and no better afterwards.
        Quick = "quick",
        /// Up and down.
        Noisy = "noisy",
        /// Poor for long, then good.
        Late = "late",
        /// Never better.
        Flat = "flat",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelTeam {
    pub leader: Leader,
    pub members: Vec<Member>,
    pub max_concurrent_members: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leader {
    /// None: the built-in text. Empty: no instruction.
    pub system_instruction: Option<String>,
    pub system_prompt: Option<String>,
    #[serde(flatten)]
    pub llm: Llm,
}

/// A model and how it is called. Unset fields are not sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Llm {
    /// `provider:name`
    pub model: String,
    pub base_url: Option<String>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    pub top_p: Option<f64>,
    pub seed: Option<i64>,
    pub stop_sequences: Vec<String>,
    pub timeout_ms: u64,
    /// Further tries after the first.
    pub max_retries: u32,
    /// Passed to the model's API unchanged.
    #[serde(default)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    pub tool_name: String,
    pub tool_description: String,
    pub system_instruction: Option<String>,
    pub system_prompt: Option<String>,
    pub kind: MemberKind,
    /// Unused by a command.
    pub llm: Llm,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberKind {
    Plain,
    /// The provider's own search.
    WebSearch {
        max_results: Option<u32>,
    },
    /// kumite fetches the page; the member reads it.
    WebFetch {
        max_uses: Option<u32>,
        allowed_domains: Vec<String>,
        blocked_domains: Vec<String>,
    },
    /// The provider's own sandbox.
    CodeExecution,
    /// A program that gets the task on its standard input.
    Command(Command),
    /// A Python class for mixseek, run through a shim.
    Plugin(Plugin),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub argv: Vec<String>,
    pub timeout_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plugin {
    pub module: Option<String>,
    pub path: Option<String>,
    pub class: String,
    /// The settings of a custom mixseek member; a metric has none.
    #[serde(default)]
    pub tool_settings: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluator {
    pub metrics: Vec<Metric>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    pub name: String,
    /// In millionths; all weights add up to a million, give or take a thousand.
    pub weight: u32,
    pub kind: MetricKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    Llm {
        rubric: Rubric,
        /// Replaces the rubric's own text.
        system_instruction: Option<String>,
        llm: Llm,
    },
    /// A program: it gets the submission, and answers a score and remarks as JSON. For an agent
    /// team it runs in the team's worktree.
    Command {
        command: Command,
        max_retries: u32,
        /// A score below this is a veto.
        veto_below: Option<f64>,
    },
    /// Built in: counts which of these words the submission mentions.
    Checklist(Checklist),
    /// A Python metric for mixseek, run through a shim.
    Plugin {
        plugin: Plugin,
        timeout_ms: u64,
        max_retries: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rubric {
    ClarityCoherence,
    Coverage,
    Relevance,
    Plain,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checklist {
    pub words: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// Built in: looks only at the scores.
    Rules,
    Llm {
        system_instruction: Option<String>,
        llm: Box<Llm>,
    },
}

/// Templates (Jinja). None: the built-in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompts {
    pub team: Option<String>,
    pub evaluator: Option<String>,
    pub judge: Option<String>,
}
