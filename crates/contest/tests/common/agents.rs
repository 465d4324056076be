//! Agent teams whose agents are shell scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kumite_agents::{Launcher, find_marked};
use kumite_contest::teams::agent::{AgentMeans, AgentTeam};
use kumite_contest::work::{Handed, Missed, Try};
use kumite_contest::worktree::path_of;
use kumite_core::contest::{Agents, Failure, Next, Used};
use kumite_formats::contest::{Agent, Source, Worktree};
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Settings, Span};
use kumite_models::Cancel;
use kumite_project::clock::now_ms;
use kumite_project::limits;

use super::Project;

const BINARY: &str = env!("CARGO_BIN_EXE_kumite-contest-supervise");

/// The last line of an agent that has finished; `$text` is its text.
pub const DONE: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4},"result":"'"$text"'"}'"#;

/// A project with one agent team.
pub struct Stage {
    pub project: Project,
    pub settings: Settings,
    pub source: Source,
    pub worktree: Worktree,
    pub cancel: Cancel,
    pub timeout: Duration,
}

impl Stage {
    /// Its agent runs `script`. `$here` is the project.
    pub fn new(script: &str) -> Stage {
        let project = Project::new();
        let here = project.root().display().to_string();
        project.program(".kiro/runtime/agent.sh", &format!("here={here}\n{script}"));
        let mut settings = Settings::default();
        // A newly written script can be busy: other tests fork while it is open.
        settings.agent.spawn_retries = 10;
        settings.agent.term_grace = Span::from_secs(5);
        let kind = AgentKind::Program {
            kind: ProgramKind::Claude,
            program: ".kiro/runtime/agent.sh".to_owned(),
            args: Vec::new(),
            model: String::new(),
            permission_mode: String::new(),
        };
        let agent = AgentSettings {
            kind,
            env: Default::default(),
            env_allow: Vec::new(),
        };
        settings.agents.insert("fake".to_owned(), agent);
        Stage {
            project,
            settings,
            source: Source::Text,
            worktree: Worktree::Fresh,
            cancel: Cancel::new(),
            timeout: Duration::from_secs(60),
        }
    }

    pub fn root(&self) -> PathBuf {
        path_of(&self.project.contest_dir(), 0, "Team A")
    }

    pub fn team(&self) -> AgentTeam {
        let repository = self.project.repository();
        let means = AgentMeans {
            settings: Arc::new(self.settings.clone()),
            project: self.project.root().to_owned(),
            base: repository.head().unwrap(),
            repository,
            launcher: Launcher::new(self.project.root().to_owned()),
            binary: BINARY.into(),
        };
        let plan = Agent {
            agent: "fake".to_owned(),
            submission: self.source.clone(),
            worktree: self.worktree,
        };
        AgentTeam::new(Arc::new(means), &plan, self.root()).unwrap()
    }

    pub fn round(&self, round: u32) -> PathBuf {
        let dir = self.project.contest_dir();
        dir.join(format!("teams/0/round-{round}"))
    }

    /// A try, with all the agents that the core asks for.
    pub fn submit(&self, round: u32, attempt: u32) -> Result<Handed, Missed> {
        let (team, dir) = (self.team(), self.round(round));
        std::fs::create_dir_all(&dir).unwrap();
        let contest_id = self.project.root().file_name().unwrap().to_str().unwrap();
        let mut agents = Agents::default();
        let mut used = Used::default();
        loop {
            let worked = Duration::from_millis(agents.worked_ms);
            let turn = Try {
                contest_id,
                team_id: "Team A",
                team_name: "Team A",
                round,
                attempt,
                timeout: self.timeout.saturating_sub(worked),
                cancel: &self.cancel,
                dir: &dir,
            };
            let one = team.attempt("Do it.", &turn, agents.number);
            if agents.is_done {
                return one.hand_in().map_err(|failed| Missed { failed, used });
            }
            let over = one.work(agents.resume.as_deref(), agents.wake_ms);
            used.add(Used::of_agent(over.ended.usage));
            let rules = limits::rules(&self.settings);
            agents = match agents.after(&over, &rules, 1, now_ms()) {
                Next::Go(agents) => agents,
                Next::Wait(agents, noted) => {
                    if let Some(noted) = noted {
                        team.note_limit(noted.until_ms, &noted.words);
                    }
                    agents
                }
                Next::Fail(failed) => return Err(Missed { failed, used }),
            };
        }
    }

    /// The failure of a try.
    pub fn fails(&self, round: u32, attempt: u32) -> (Failure, String) {
        let failed = self.submit(round, attempt).unwrap_err().failed;
        (failed.failure, failed.why)
    }

    /// Where the script writes files that a test waits for: git ignores them.
    pub fn note(&self, name: &str) -> PathBuf {
        self.project.path(&format!(".kiro/runtime/{name}"))
    }

    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.note(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How many processes of this project's agents are alive.
    pub fn alive(&self) -> usize {
        let mark = format!("KUMITE_PROJECT={}", self.project.root().display());
        find_marked(&mark).len()
    }
}

/// A failing test must not leave its agent running.
impl Drop for Stage {
    fn drop(&mut self) {
        let mark = format!("KUMITE_PROJECT={}", self.project.root().display());
        kumite_agents::Remains::marked(&[&mark]).end();
    }
}

pub fn has_all(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }
}

pub fn exists(path: &Path) -> impl FnMut() -> bool + '_ {
    move || path.exists()
}
