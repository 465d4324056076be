//! From a step to a running agent: which program, which prompt, which surroundings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kumite_agents::{
    AcpConfig, CommandConfig, Driver, Handle, Launcher, Order, ProgramConfig, PromptBy, Request,
    ScriptedConfig,
};
use kumite_core::change::Fixing;
use kumite_core::effect::Launch;
use kumite_core::names::Document;
use kumite_core::run::Step;
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Prompt, Settings};
use kumite_prompts::Command;

use crate::project::Spec;
use crate::{clock, crash, purse, settings};

/// What a run needs to start agents.
#[derive(Clone, Debug)]
pub struct Kit {
    pub settings: Arc<Settings>,
    /// An agent for all phases, in place of the settings.
    agent: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Settings(#[from] settings::Error),
    #[error("cannot prepare {path}")]
    Prepare { path: PathBuf, source: io::Error },
    #[error("cannot tell which program kumite is")]
    Binary(#[source] io::Error),
    #[error(transparent)]
    Launch(#[from] kumite_agents::Error),
}

impl Kit {
    pub fn new(settings: Arc<Settings>, agent: Option<String>) -> Kit {
        Kit { settings, agent }
    }

    pub fn agent(&self, step: Step) -> Result<&AgentSettings, settings::Error> {
        settings::agent(&self.settings, self.agent_name(step))
    }

    pub fn agent_name(&self, step: Step) -> &str {
        match &self.agent {
            Some(name) => name,
            None => self.settings.agent_for(step.phase()),
        }
    }
}

/// Starts the agent of a step under its supervisor.
pub fn start(
    spec: &Spec,
    kit: &Kit,
    launch: &Launch,
    cap_usd_micros: Option<u64>,
    launcher: &Launcher,
) -> Result<Handle, Error> {
    let binary = own_binary()?;
    let dir = spec.agent_dir(launch.agent);
    make_dir(&dir)?;
    let log = spec.log_file(&launch.agent.to_string());
    if let Some(logs) = log.parent() {
        make_dir(logs)?;
    }
    let agent = kit.agent(launch.step)?;
    let workplace = spec.workplace();
    purse::note_program(&dir, kit, launch.step).map_err(|source| Error::Prepare {
        path: dir.clone(),
        source,
    })?;
    let order = Order {
        cap_usd_micros,
        ..order(spec, launch, &workplace, agent, &dir)?
    };
    let invocation = driver(agent, spec, &binary).invocation(&order);
    let mut env = environment(spec, launch);
    env.extend(agent.env.clone());
    env.extend(invocation.env);
    let waits = &kit.settings.agent;
    let request = Request {
        agent: launch.agent.to_string(),
        program: invocation.program,
        args: invocation.args,
        cwd: workplace,
        env,
        stdin: invocation.stdin,
        log,
        protocol: invocation.protocol,
        session: invocation.session,
        step_timeout_ms: kit.settings.run.step_timeout.duration().as_millis() as u64,
        silence_timeout_ms: waits.silence_timeout.duration().as_millis() as u64,
        exit_grace_ms: waits.exit_grace.duration().as_millis() as u64,
        term_grace_ms: waits.term_grace.duration().as_millis() as u64,
        spawn_retries: waits.spawn_retries,
        log_max_bytes: kit.settings.log.max_size.bytes(),
    };
    crash::point(format_args!("prepared {}", spec.name));
    Ok(launcher.launch(&binary, &dir, &request)?)
}

/// Gets a supervisor ready for the next agent.
pub fn start_ahead(launcher: &Launcher) {
    if let Ok(binary) = own_binary() {
        launcher.start_ahead(&binary);
    }
}

/// This very program, also if its file was replaced since it started (an upgrade during a run).
fn own_binary() -> Result<PathBuf, Error> {
    let path = std::env::current_exe().map_err(Error::Binary)?;
    Ok(match path.exists() {
        true => path,
        false => PathBuf::from("/proc/self/exe"),
    })
}

fn make_dir(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| Error::Prepare {
        path: path.to_owned(),
        source,
    })
}

fn order(
    spec: &Spec,
    launch: &Launch,
    workplace: &Path,
    agent: &AgentSettings,
    dir: &Path,
) -> Result<Order, Error> {
    let prompt = prompt(spec, launch, workplace, knows_slash(&agent.kind));
    let wants_file = matches!(
        &agent.kind,
        AgentKind::Command { command, prompt: by }
            if *by == Prompt::File || command.iter().any(|word| word.contains("{prompt_file}"))
    );
    let prompt_file = wants_file.then(|| dir.join("prompt.md"));
    if let Some(path) = &prompt_file {
        fs::write(path, &prompt).map_err(|source| Error::Prepare {
            path: path.clone(),
            source,
        })?;
    }
    Ok(Order {
        prompt,
        session: uuid::Uuid::new_v4().to_string(),
        resume: launch.resume.clone(),
        spec: spec.name.clone(),
        step: launch.step.name().to_owned(),
        round: round(launch.step),
        prompt_file,
        cap_usd_micros: None,
    })
}

/// What a resumed session is told: it knows its task already.
const GO_ON: &str = "You were interrupted. Go on where you stopped and finish the task; \
    nobody is there to answer questions.";

/// Whether the program makes a slash command of `/kiro:...`. Of any command a person chose nobody
/// knows; that is for its script to handle.
fn knows_slash(kind: &AgentKind) -> bool {
    match kind {
        AgentKind::Program { kind, .. } => *kind == ProgramKind::Claude,
        AgentKind::Acp { .. } => false,
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => true,
    }
}

/// The slash command where the project has it, or what stands in its file; else kumite's own text.
fn prompt(spec: &Spec, launch: &Launch, workplace: &Path, knows_slash: bool) -> String {
    if launch.resume.is_some() {
        return GO_ON.to_owned();
    }
    let (command, arguments) = command(&spec.name, launch.step, launch.fixing);
    let installed = kumite_prompts::is_installed(workplace, command);
    let text = if installed && knows_slash {
        kumite_prompts::slash(command, &arguments)
    } else {
        // An agent that cannot read its environment needs the number of the round.
        let arguments = match launch.step {
            Step::Review(round) => format!("{} {}", spec.name, round.number),
            _ => arguments,
        };
        kumite_prompts::expanded(workplace, command, &arguments)
            .unwrap_or_else(|| kumite_prompts::whole(command, &arguments))
    };
    match &launch.remark {
        Some(remark) => {
            format!("{text}\n\nA person rejected the last version of this document: {remark}")
        }
        None => text,
    }
}

fn command(spec: &str, step: Step, fixing: Fixing) -> (Command, String) {
    match step {
        Step::Write(Document::Requirements) => (Command::Requirements, spec.to_owned()),
        Step::Write(Document::Design) => (Command::Design, format!("{spec} -y")),
        Step::Write(Document::Tasks) => (Command::Tasks, format!("{spec} -y")),
        Step::Review(_) => (Command::Review, spec.to_owned()),
        Step::Reply(round) => {
            let number = round.number;
            let arguments = match fixing {
                Fixing::Auto => format!("{spec} {number} --autofix"),
                Fixing::Person => format!("{spec} {number} --fix"),
                Fixing::Nobody => format!("{spec} {number}"),
            };
            (Command::Reply, arguments)
        }
        Step::Implement(_) => (Command::Impl, spec.to_owned()),
        Step::Inspect(_) => (Command::Inspection, format!("{spec} --autofix")),
        Step::Fix(_) => (Command::Inspection, format!("{spec} --fix")),
        Step::Merge => (Command::Merge, spec.to_owned()),
    }
}

/// The number that an agent sees: of its round, or of its attempt.
fn round(step: Step) -> u32 {
    match (step.round(), step.attempt()) {
        (Some(round), _) => round.number,
        (None, Some(attempt)) => u32::from(attempt.retry) + 1,
        (None, None) => 1,
    }
}

fn driver(agent: &AgentSettings, spec: &Spec, binary: &Path) -> Driver {
    match &agent.kind {
        AgentKind::Program {
            kind,
            program,
            args,
            model,
            permission_mode,
        } => {
            let config = ProgramConfig {
                program: program.clone(),
                args: args.clone(),
                model: model.clone(),
                permission_mode: permission_mode.clone(),
            };
            match kind {
                ProgramKind::Claude => Driver::Claude(config),
                ProgramKind::Codex => Driver::Codex(config),
                ProgramKind::Gemini => Driver::Gemini(config),
                ProgramKind::Opencode => Driver::Opencode(config),
            }
        }
        AgentKind::Acp { command } => Driver::Acp(AcpConfig {
            bridge: binary.to_string_lossy().into_owned(),
            command: command.clone(),
        }),
        AgentKind::Command { command, prompt } => Driver::Command(CommandConfig {
            command: command.clone(),
            prompt: match prompt {
                Prompt::Stdin => PromptBy::Stdin,
                Prompt::File => PromptBy::File,
                Prompt::None => PromptBy::None,
            },
        }),
        AgentKind::Scripted { script } => Driver::Scripted(ScriptedConfig {
            program: binary.to_string_lossy().into_owned(),
            script: script
                .as_ref()
                .map(|script| spec.project_root().join(script)),
        }),
    }
}

/// The person's own environment, less what would point git at another repository, and with what
/// an agent may know of its work (contract).
fn environment(spec: &Spec, launch: &Launch) -> Vec<(String, String)> {
    let inherited = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            let ours = name.starts_with(crash::VARIABLES) || name == clock::VARIABLE;
            !ours && !name.starts_with("GIT_")
        });
    let agent = launch.agent.to_string();
    let project = spec.project_root().to_string_lossy().into_owned();
    let known = [
        ("KUMITE_SPEC", spec.name.clone()),
        ("KUMITE_STEP", launch.step.name().to_owned()),
        ("KUMITE_ROUND", round(launch.step).to_string()),
        ("KUMITE_RUN", format!("{}-{}", spec.name, launch.run)),
        ("KUMITE_AGENT", agent),
        ("KUMITE_PROJECT", project),
    ];
    inherited
        .filter(|(name, _)| known.iter().all(|(own, _)| own != name))
        .chain(
            known
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone())),
        )
        .collect()
}
