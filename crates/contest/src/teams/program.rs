//! A member that is a program: a command, or a Python class run through a shim.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use kumite_formats::contest as formats;
use kumite_models::Usage;
use serde_json::{Value, json};

use super::member::Task;
use super::model::Error;
use super::record::Worked;
use crate::evaluate::ModelMeans;
use crate::program::{self, OUTPUT_MAX, Trouble};
use kumite_git::file_of;

const SHIM: &str = include_str!("../../../../examples/python/member_shim.py");

pub(super) struct Program {
    name: String,
    argv: Vec<String>,
    project: PathBuf,
    /// None: as long as there is time.
    timeout: Option<Duration>,
    plugin: Option<Plugin>,
}

struct Plugin {
    /// What the shim gets besides the task.
    order: Value,
    /// The model whose price its tokens have.
    model: String,
}

impl Program {
    pub fn command(
        member: &formats::Member,
        command: &formats::Command,
        means: &ModelMeans,
    ) -> Result<Program, Error> {
        if command.argv.is_empty() {
            let name = member.name.clone();
            return Err(Error::NoCommand { name });
        }
        Ok(Program {
            name: member.name.clone(),
            argv: command.argv.clone(),
            project: means.project.clone(),
            timeout: Some(Duration::from_millis(command.timeout_ms)),
            plugin: None,
        })
    }

    pub fn plugin(
        member: &formats::Member,
        plugin: &formats::Plugin,
        means: &ModelMeans,
    ) -> Result<Program, Error> {
        if plugin.module.is_none() && plugin.path.is_none() {
            let name = member.name.clone();
            return Err(Error::NoPlugin { name });
        }
        let path = plugin.path.as_ref().map(|path| means.project.join(path));
        let order = json!({
            "plugin": {"module": plugin.module, "path": path, "class": plugin.class},
            "config": config(member, plugin),
        });
        let argv = ["python3", "-c", SHIM].map(str::to_owned);
        Ok(Program {
            name: member.name.clone(),
            argv: argv.to_vec(),
            project: means.project.clone(),
            timeout: None,
            plugin: Some(Plugin {
                order,
                model: member.llm.model.clone(),
            }),
        })
    }

    pub fn work(&self, task: &Task<'_>) -> Worked {
        match &self.plugin {
            None => {
                let said = self
                    .run(task, task.text)
                    .and_then(|said| self.answer(&said));
                Worked::without_model(said)
            }
            Some(plugin) => {
                let order = plugin.order(task).to_string();
                let answer = self.run(task, &order).and_then(|said| read(&said));
                let worked = answer.map_or_else(|why| Worked::without_model(Err(why)), worked);
                task.meter.charge(&plugin.model, worked.usage);
                worked
            }
        }
    }

    fn answer(&self, said: &str) -> Result<String, String> {
        match said.trim() {
            "" => Err(format!("{} said nothing", self.argv[0])),
            _ if said.len() >= OUTPUT_MAX => Err(format!(
                "{} said more than {} MB",
                self.argv[0],
                OUTPUT_MAX >> 20
            )),
            said => Ok(said.to_owned()),
        }
    }

    fn run(&self, task: &Task<'_>, input: &str) -> Result<String, String> {
        let left = task.meter.left();
        let timeout = self.timeout.map_or(left, |own| own.min(left));
        let input =
            file_of(input.as_bytes()).map_err(|error| format!("cannot keep its task: {error}"))?;
        let ended = program::run(program::Program {
            argv: &self.argv,
            home: &self.project,
            dir: &self.project,
            contest_id: task.turn.contest_id,
            env: self.env(task),
            input,
            timeout,
            cancel: task.meter.cancel,
        });
        ended
            .map(|output| output.stdout)
            .map_err(Trouble::into_sentence)
    }

    fn env(&self, task: &Task<'_>) -> Vec<(&'static str, OsString)> {
        let turn = task.turn;
        let project = std::path::absolute(&self.project);
        vec![
            ("KUMITE_TEAM", OsString::from(turn.team_id)),
            ("KUMITE_ROUND", OsString::from(turn.round.to_string())),
            ("KUMITE_MEMBER", OsString::from(&self.name)),
            (
                "KUMITE_PROJECT",
                project.unwrap_or_else(|_| self.project.clone()).into(),
            ),
        ]
    }
}

impl Plugin {
    fn order(&self, task: &Task<'_>) -> Value {
        let turn = task.turn;
        let mut order = self.order.clone();
        order["task"] = json!(task.text);
        order["context"] = json!({
            "execution_id": turn.contest_id,
            "team_id": turn.team_id,
            "team_name": turn.team_name,
            "round_number": turn.round,
        });
        order
    }
}

/// The attributes of mixseek's member configuration. Classes look for their own settings in
/// `tool_settings`, or in `metadata`.
fn config(member: &formats::Member, plugin: &formats::Plugin) -> Value {
    let llm = &member.llm;
    let stop = Some(&llm.stop_sequences).filter(|all| !all.is_empty());
    let extra = Some(&llm.extra).filter(|all| !all.is_empty());
    let seconds = Some(llm.timeout_ms.div_ceil(1000)).filter(|seconds| *seconds > 0);
    json!({
        "name": member.name,
        "type": "custom",
        "model": llm.model,
        "temperature": llm.temperature,
        "max_tokens": llm.max_tokens,
        "stop_sequences": stop,
        "top_p": llm.top_p,
        "seed": llm.seed,
        "timeout_seconds": seconds,
        "max_retries": llm.max_retries,
        "model_settings": extra,
        "google_model_settings": null,
        "system_instruction": member.system_instruction,
        "system_prompt": member.system_prompt,
        "description": member.tool_description,
        "tool_settings": plugin.tool_settings,
        "plugin": {
            "agent_module": plugin.module, "path": plugin.path, "agent_class": plugin.class,
        },
        "metadata": {"tool_settings": plugin.tool_settings},
    })
}

/// The object at the end of the shim's output.
fn read(said: &str) -> Result<Value, String> {
    let answer = serde_json::from_str::<Value>(said.trim()).ok();
    let answer = answer.filter(|answer| answer["status"].is_string());
    answer.ok_or_else(|| "its shim ended without an answer".to_owned())
}

fn worked(answer: Value) -> Worked {
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    let (content, message) = (text("content"), text("error_message"));
    let count = |name: &str| answer["usage"][name].as_u64().unwrap_or(0);
    let usage = Usage {
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        ..Usage::default()
    };
    let status = text("status");
    let is_good = matches!(status.as_str(), "SUCCESS" | "WARNING") && !content.trim().is_empty();
    let why = [message.as_str(), content.as_str(), "it said nothing"];
    let why = why.into_iter().find(|words| !words.trim().is_empty());
    Worked {
        warning: (status == "WARNING").then(|| message.clone()),
        outcome: match is_good {
            true => Ok(content.clone()),
            false => Err(why.unwrap_or_default().to_owned()),
        },
        usage,
        ..Worked::without_model(Ok(String::new()))
    }
}
