//! Settings: `.kiro/kumite.toml`, a person's own file, the environment and flags, in layers.
//!
//! [`KEYS`] and [`AGENT_KEYS`] list every setting with its meaning; reading, showing and the
//! hints in errors all use these tables.

mod agent_draft;
mod agent_keys;
mod agents;
mod command_draft;
mod env;
mod error;
mod keys;
mod load;
mod paths;
mod sandbox;
mod size;
mod source;
mod span;
mod usd;
mod value;
mod verify;
mod worktree;

use std::collections::BTreeMap;
use std::path::PathBuf;

use kumite_core::names::Phase;

pub use agent_keys::{AGENT_KEYS, AgentKey};
pub use agents::AgentSettings;
pub use error::Error;
pub(crate) use error::nearest;
pub use keys::{KEYS, Key, without_secret};
pub use kumite_core::agent_kind::{AgentKind, Prompt};
pub use kumite_core::journal::Guard;
pub use kumite_core::place::Baseline;
pub use kumite_core::program::ProgramKind;
pub use load::doc;
pub(crate) use paths::is_inside;
pub use sandbox::{Network, SandboxMode, SandboxSettings};
pub use size::Size;
pub use span::Span;
pub use usd::Usd;
pub(crate) use verify::{NAME_MAX, through_shell};
pub use verify::{VerifyCommand, VerifySettings};
pub use worktree::{WorktreeMode, WorktreeSettings};

/// All settings, each with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub run: RunSettings,
    pub review: ReviewSettings,
    pub implementation: ImplSettings,
    pub inspection: InspectionSettings,
    pub agent: AgentChoice,
    /// By name; `claude`, `codex`, `gemini`, `opencode` and `scripted` always exist.
    pub agents: BTreeMap<String, AgentSettings>,
    pub limit: LimitSettings,
    pub budget: BudgetSettings,
    pub log: LogSettings,
    pub notify: NotifySettings,
    pub worktree: WorktreeSettings,
    pub verify: VerifySettings,
    pub sandbox: SandboxSettings,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    pub jobs: u32,
    pub auto_approve: bool,
    pub step_timeout: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReviewSettings {
    pub rounds_max: u8,
    /// 0: a review that stalls is not noticed.
    pub stall_rounds: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ImplSettings {
    pub retries_max: u8,
    pub guard: Guard,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InspectionSettings {
    pub rounds_max: u8,
}

/// Which agent does which phase, and its time limits.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentChoice {
    pub default: String,
    pub phase: BTreeMap<Phase, String>,
    pub silence_timeout: Span,
    pub exit_grace: Span,
    pub term_grace: Span,
    pub spawn_retries: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LimitSettings {
    pub wait: bool,
    pub min_wait: Span,
    pub max_wait: Span,
    pub jitter: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BudgetSettings {
    /// 0: no limit.
    pub usd_per_run: Usd,
    /// 0: no limit.
    pub usd_per_day: Usd,
}

/// How much of the agents' output is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct LogSettings {
    /// Per agent; 0: no limit.
    pub max_size: Size,
    /// For all agents of one spec; 0: no limit.
    pub max_total: Size,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NotifySettings {
    pub webhook: Vec<String>,
    pub desktop: bool,
}

impl Settings {
    /// The agent that does this phase.
    pub fn agent_for(&self, phase: Phase) -> &str {
        self.agent.phase.get(&phase).unwrap_or(&self.agent.default)
    }

    /// Reads `layers` in order, where later ones override earlier ones (person, then project), then
    /// the environment, then `flags`.
    pub fn load(
        layers: &[Layer<'_>],
        env: &[(String, String)],
        flags: &[Flag],
    ) -> Result<Loaded, Error> {
        load::load(layers, env, flags)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            run: RunSettings {
                jobs: 5,
                auto_approve: true,
                step_timeout: Span::from_secs(2 * 3600),
            },
            review: ReviewSettings {
                rounds_max: 7,
                stall_rounds: 0,
            },
            implementation: ImplSettings {
                retries_max: 7,
                guard: Guard::Seed,
            },
            inspection: InspectionSettings { rounds_max: 3 },
            agent: AgentChoice {
                default: "claude".to_owned(),
                phase: BTreeMap::new(),
                silence_timeout: Span::from_secs(15 * 60),
                exit_grace: Span::from_secs(5),
                term_grace: Span::from_secs(10),
                spawn_retries: 0,
            },
            agents: agent_draft::built_in(),
            limit: LimitSettings {
                wait: true,
                min_wait: Span::from_secs(60),
                max_wait: Span::from_secs(8 * 24 * 3600),
                jitter: Span::from_secs(10),
            },
            budget: BudgetSettings {
                usd_per_run: Usd::ZERO,
                usd_per_day: Usd::ZERO,
            },
            log: LogSettings {
                max_size: Size::from_mb(2000),
                max_total: Size::from_mb(4000),
            },
            notify: NotifySettings {
                webhook: Vec::new(),
                desktop: true,
            },
            worktree: WorktreeSettings::default(),
            verify: VerifySettings::default(),
            sandbox: SandboxSettings::default(),
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The person's own file.
    Person(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// The name of the variable.
    Env(String),
    /// The flag as written, such as `--jobs`.
    Flag(String),
}

/// The text of one file.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    pub origin: Origin,
    pub text: &'a str,
}

/// A setting given on the command line.
#[derive(Clone, Debug)]
pub struct Flag {
    /// As the person wrote it, such as `--jobs`.
    pub name: String,
    /// The setting that it sets, such as `run.jobs`.
    pub key: String,
    pub value: String,
}

#[derive(Clone, Debug)]
pub struct Loaded {
    pub settings: Settings,
    /// Every setting with its value as TOML and its origin. Secrets are not shown.
    pub origins: Vec<(String, String, Origin)>,
}
