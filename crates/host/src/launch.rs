//! From a step to a running agent: its program, its prompt, its environment.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kumite_agents::{Assignment, Handle, Launcher};
use kumite_core::change::Fixing;
use kumite_core::effect::Launch;
use kumite_core::names::Document;
use kumite_core::run::{Because, Run, Step};
use kumite_files::make_private_dir;
use kumite_formats::settings::{AgentKind, AgentSettings, Settings};
use kumite_prompts::Command;

use crate::{purse, remarks};
use kumite_project::announce::verify_log;
use kumite_project::job::{GO_ON, Job, own_binary, prompt_file};
use kumite_project::project::Spec;
use kumite_project::{crash, place, settings};

/// What a run needs to start agents.
#[derive(Clone, Debug)]
pub struct LaunchSettings {
    /// The settings of the project.
    pub project: Arc<Settings>,
    /// One agent for all phases, instead of those in the settings.
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
    #[error("the settings have no command {name} in [[verify.command]] any more")]
    NoCommand { name: String },
}

impl LaunchSettings {
    pub fn new(project: Arc<Settings>, agent: Option<String>) -> LaunchSettings {
        LaunchSettings { project, agent }
    }

    pub fn agent(&self, step: Step) -> Result<&AgentSettings, settings::Error> {
        settings::agent(&self.project, self.agent_name(step))
    }

    /// The agent that was requested for all phases.
    pub fn agent_for_all(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    pub fn agent_name(&self, step: Step) -> &str {
        match &self.agent {
            Some(name) => name,
            None => self.project.agent_for(step.phase()),
        }
    }
}

/// Starts the agent of a step under its supervisor.
pub fn start(
    spec: &Spec,
    run: &Run,
    launch_settings: &LaunchSettings,
    launch: &Launch,
    cap_usd_micros: Option<u64>,
    launcher: &Launcher,
) -> Result<Handle, Error> {
    let binary = own_binary().map_err(Error::Binary)?;
    let dir = spec.agent_dir(launch.agent);
    make_dir(&dir)?;
    let log = spec.log_file(&launch.agent.to_string());
    if let Some(logs) = log.parent() {
        make_dir(logs)?;
    }
    let agent = launch_settings.agent(launch.step)?;
    let workplace = spec.workplace();
    purse::note_program(&dir, launch_settings, launch.step).map_err(|source| Error::Prepare {
        path: dir.clone(),
        source,
    })?;
    let assignment = Assignment {
        cap_usd_micros,
        ..assignment(spec, run, launch, &workplace, agent, &dir)?
    };
    let mut known = known(spec, launch);
    known.extend(verify_log_of(spec, launch).map(|log| ("KUMITE_VERIFY_LOG", log)));
    let job = Job {
        agent: launch.agent.to_string(),
        assignment,
        workplace,
        log,
        known,
        timeout: launch_settings.project.run.step_timeout.duration(),
    };
    let settings = &launch_settings.project;
    let mut request = job.request(agent, settings, spec.project_root(), &binary);
    // Copies of untracked files must not be committed.
    request.env.extend(place::env(spec));
    crash::point(format_args!("prepared {}", spec.name));
    Ok(launcher.launch(&binary, &dir, &request)?)
}

/// Prepares a supervisor for the next agent.
pub fn start_ahead(launcher: &Launcher) {
    if let Ok(binary) = own_binary() {
        launcher.start_ahead(&binary);
    }
}

pub(crate) fn make_dir(path: &Path) -> Result<(), Error> {
    make_private_dir(path).map_err(|source| Error::Prepare {
        path: path.to_owned(),
        source,
    })
}

fn assignment(
    spec: &Spec,
    run: &Run,
    launch: &Launch,
    workplace: &Path,
    agent: &AgentSettings,
    dir: &Path,
) -> Result<Assignment, Error> {
    let mut prompt = prompt(spec, launch, workplace, knows_slash(&agent.kind));
    if launch.resume.is_none() {
        prompt.extend(remarks::of(spec, run, launch));
    }
    let file = prompt_file(&agent.kind, dir, &prompt);
    let prompt_file = file.map_err(|source| Error::Prepare {
        path: dir.to_owned(),
        source,
    })?;
    Ok(Assignment {
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

/// Whether the program understands `/kiro:...` as a slash command. For a person's own command this
/// is unknown; its script has to handle it.
fn knows_slash(kind: &AgentKind) -> bool {
    match kind {
        AgentKind::Program { kind, .. } => kind.info().knows_slash,
        AgentKind::Acp { .. } => false,
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => true,
    }
}

/// The slash command if the project has it, or the text of its file; otherwise kumite's own text.
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
        // No agent is asked: see `errand`.
        Step::Baseline | Step::Prepare(_) | Step::Verify(_) | Step::Undo(_) => {
            (Command::Impl, spec.to_owned())
        }
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

/// The output of the command that failed, for the agent that repairs it.
fn verify_log_of(spec: &Spec, launch: &Launch) -> Option<String> {
    let Some(Because::Verify { name, agent }) = &launch.because else {
        return None;
    };
    let path = spec.main_dir().join(verify_log(name, *agent));
    Some(path.to_string_lossy().into_owned())
}

/// The variables that inform an agent about its work (contract).
pub(crate) fn known(spec: &Spec, launch: &Launch) -> Vec<(&'static str, String)> {
    let project = spec.project_root().to_string_lossy().into_owned();
    vec![
        ("KUMITE_SPEC", spec.name.clone()),
        ("KUMITE_STEP", launch.step.name().to_owned()),
        ("KUMITE_ROUND", round(launch.step).to_string()),
        ("KUMITE_RUN", format!("{}-{}", spec.name, launch.run)),
        ("KUMITE_AGENT", launch.agent.to_string()),
        ("KUMITE_PROJECT", project),
    ]
}
