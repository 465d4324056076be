//! What the tests of evaluator and judge need: a plan, a model server, a turn.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use kumite_core::contest::{Measure, Used};
use kumite_fake_model::{Act, Options, Script, Server};
use kumite_formats::contest::{
    Evaluator, Judge, Llm, Metric, MetricKind, Plan, Price, Prompts, Rubric,
};
use kumite_models::{Cancel, Client};
use tempfile::TempDir;

use crate::evaluate::{ModelMeans, metrics};
use crate::prompts::Templates;
use crate::work::{Missed, Try};

pub const MODEL: &str = "openai:m";

pub struct Stage {
    pub dir: TempDir,
    pub cancel: Cancel,
    pub timeout: Duration,
    pub base_url: String,
}

impl Stage {
    /// Without a model.
    pub fn new() -> Stage {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project")).unwrap();
        fs::write(dir.path().join("submission.txt"), "the text\n").unwrap();
        Stage {
            dir,
            cancel: Cancel::new(),
            timeout: Duration::from_secs(60),
            base_url: "http://127.0.0.1:9/v1".to_owned(),
        }
    }

    /// With a model that plays these acts. Every request is in [`Stage::log`].
    pub fn with(acts: Vec<Act>) -> (Stage, Server) {
        let mut stage = Stage::new();
        let options = Options {
            log: Some(stage.dir.path().join("requests.jsonl")),
            ..Options::default()
        };
        let server = Server::start_with(Script::always(acts), &options).unwrap();
        stage.base_url = format!("{}/v1", server.url());
        (stage, server)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("requests.jsonl")).unwrap()
    }

    pub fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub fn submission(&self) -> PathBuf {
        self.dir.path().join("submission.txt")
    }

    pub fn means(&self) -> ModelMeans {
        ModelMeans {
            client: Client::new(),
            env: Arc::new(|name| (name == "OPENAI_API_KEY").then(|| "sk-test".to_owned())),
            templates: Arc::new(Templates::new(&Prompts::default(), 40_000).unwrap()),
            zone: TimeZone::UTC,
            project: self.project(),
        }
    }

    pub fn llm(&self) -> Llm {
        Llm {
            model: MODEL.to_owned(),
            base_url: Some(self.base_url.clone()),
            ..Llm::default()
        }
    }

    pub fn plan(&self, metric: MetricKind, judge: Judge) -> Plan {
        Plan {
            task: "the task".to_owned(),
            teams: Vec::new(),
            evaluator: Evaluator {
                metrics: vec![Metric {
                    name: "M".to_owned(),
                    weight: 1_000_000,
                    kind: metric,
                }],
            },
            judge,
            judge_on_final_round: true,
            prompts: Prompts::default(),
            rounds_min: 2,
            rounds_max: 5,
            teams_max: None,
            submission_timeout_ms: 1000,
            judgment_timeout_ms: 1000,
            team_timeout_ms: None,
            contest_timeout_ms: None,
            submission_retries: 0,
            budget_usd: None,
            prices: [(
                MODEL.to_owned(),
                Price {
                    input: 2.5,
                    output: 10.0,
                },
            )]
            .into(),
            history_chars: 40_000,
        }
    }

    pub fn rubric(&self, rubric: Rubric, system_instruction: Option<&str>) -> MetricKind {
        MetricKind::Llm {
            rubric,
            system_instruction: system_instruction.map(str::to_owned),
            llm: self.llm(),
        }
    }

    pub fn turn<'a>(&'a self, dir: &'a Path) -> Try<'a> {
        Try {
            contest_id: "contest-1",
            team_id: "team-1",
            team_name: "Team One",
            round: 3,
            attempt: 1,
            timeout: self.timeout,
            cancel: &self.cancel,
            dir,
        }
    }

    pub fn measure(&self, metric: MetricKind) -> Result<(Measure, Used), Missed> {
        self.measure_in(metric, None)
    }

    pub fn measure_in(
        &self,
        metric: MetricKind,
        worktree: Option<&Path>,
    ) -> Result<(Measure, Used), Missed> {
        let plan = self.plan(metric, Judge::Rules);
        let metrics = metrics(&plan, &self.means()).unwrap();
        let dir = self.dir.path().join("round");
        metrics[0].measure(&plan.task, &self.submission(), worktree, &self.turn(&dir))
    }
}
