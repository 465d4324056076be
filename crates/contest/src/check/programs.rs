//! Programs: those of commands, of agents, and Python's modules.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::find_program;
use kumite_formats::contest::{Command, MemberKind, MetricKind, Named, Plan, Plugin, TeamKind};
use kumite_formats::settings::AgentSettings;
use kumite_models::Cancel;

use super::{Check, CheckMeans};
use crate::program::{self, Program};

/// Python only looks for the module, and does not run it.
const FINDS: &str = "import importlib.util, sys\n\
    sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)";
const FINDS_WITHIN: Duration = Duration::from_secs(60);

/// Every command of a metric or a member, by its program.
pub(super) fn commands(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let metrics = plan.evaluator.metrics.iter();
    let metrics = metrics.filter_map(|metric| match &metric.kind {
        MetricKind::Command { command, .. } => Some(command),
        MetricKind::Llm { .. } | MetricKind::Checklist(_) | MetricKind::Plugin { .. } => None,
    });
    let members = members(plan).filter_map(|kind| match kind {
        MemberKind::Command(command) => Some(command),
        _ => None,
    });
    let mut names: Vec<&str> = metrics.chain(members).map(program_of).collect();
    names.sort_unstable();
    names.dedup();
    let check = |name: &str| {
        let found = find(name, means.project, (means.env)("PATH"));
        let found = found.map(|path| path.display().to_string());
        means.named("programs", (Named::Program, name), found)
    };
    names.into_iter().map(check).collect()
}

/// The agent is known, and its program exists.
pub(super) fn agent(name: &str, means: &CheckMeans<'_>) -> Result<String, String> {
    let agents = &means.settings.agents;
    let Some(AgentSettings { kind, env, .. }) = agents.get(name) else {
        let known: Vec<&str> = agents.keys().map(String::as_str).collect();
        return Err(format!(
            "there is no agent {name}; known are {}; [agents.{name}] in .kiro/kumite.toml would \
             define it",
            known.join(", ")
        ));
    };
    let program = match kind.program() {
        Some("") => return Err(format!("the agent {name} has no command")),
        Some(program) => program,
        None => return Ok("built in".to_owned()),
    };
    let path = env.get("PATH").cloned().or_else(|| (means.env)("PATH"));
    let found = find(program, means.project, path);
    found
        .map(|path| path.display().to_string())
        .map_err(|error| format!("agent {name}: {error}"))
}

/// Python exists, and finds the module or file of each class.
pub(super) fn plugins(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let metrics = plan.evaluator.metrics.iter();
    let metrics = metrics.filter_map(|metric| match &metric.kind {
        MetricKind::Plugin { plugin, .. } => Some(plugin),
        MetricKind::Llm { .. } | MetricKind::Checklist(_) | MetricKind::Command { .. } => None,
    });
    let members = members(plan).filter_map(|kind| match kind {
        MemberKind::Plugin(plugin) => Some(plugin),
        _ => None,
    });
    let by_class: BTreeMap<(&str, Option<&str>), &Plugin> = metrics
        .chain(members)
        .map(|plugin| ((plugin.class.as_str(), plugin.module.as_deref()), plugin))
        .collect();
    let check = |plugin: &Plugin| {
        let found = plugin_of(plugin, means);
        means.named("plugins", (Named::Plugin, &plugin.class), found)
    };
    by_class.into_values().map(check).collect()
}

fn plugin_of(plugin: &Plugin, means: &CheckMeans<'_>) -> Result<String, String> {
    let Plugin {
        module,
        path,
        class,
        ..
    } = plugin;
    let python = find("python3", means.project, (means.env)("PATH"))
        .map_err(|error| format!("the class {class} is written in Python, and {error}"))?;
    if let Some(module) = module
        && finds_module(&python, module, means.project)
    {
        return Ok(format!("python3 finds {module}"));
    }
    let file = path.as_ref().map(|path| means.project.join(path));
    match (module, file) {
        (_, Some(file)) if file.is_file() => Ok(file.display().to_string()),
        (_, Some(file)) => Err(format!(
            "{}, the file of {class}, is not there",
            file.display()
        )),
        (Some(module), None) => Err(format!(
            "python3 does not find the module {module} of {class}; install it, or set PYTHONPATH"
        )),
        (None, None) => Err(format!("the class {class} has neither a module nor a path")),
    }
}

fn finds_module(python: &Path, module: &str, project: &Path) -> bool {
    let Ok(input) = File::open("/dev/null") else {
        return false;
    };
    let python = python.to_string_lossy().into_owned();
    let argv = [python, "-c".to_owned(), FINDS.to_owned(), module.to_owned()];
    let asked = Program {
        argv: &argv,
        home: project,
        dir: project,
        contest_id: "check",
        env: Vec::new(),
        input,
        timeout: FINDS_WITHIN,
        cancel: &Cancel::new(),
    };
    program::run(asked).is_ok()
}

fn members(plan: &Plan) -> impl Iterator<Item = &MemberKind> {
    let teams = plan.teams.iter().filter_map(|team| match &team.kind {
        TeamKind::Model(team) => Some(team),
        TeamKind::Agent(_) | TeamKind::Scripted { .. } => None,
    });
    teams
        .flat_map(|team| &team.members)
        .map(|member| &member.kind)
}

fn program_of(command: &Command) -> &str {
    command.argv.first().map_or("", String::as_str)
}

/// Found as a shell does; with a slash in its name, relative to the project.
fn find(program: &str, project: &Path, path: Option<String>) -> Result<PathBuf, String> {
    if let Some(found) = find_program(program, project, path.as_deref()) {
        return Ok(found);
    }
    if !program.contains('/') {
        return Err(format!("the program {program:?} was not found in PATH"));
    }
    let found = project.join(program);
    let shown = found.display();
    Err(match fs::metadata(&found) {
        Err(error) => format!("the program {shown}: {error}"),
        Ok(_) => format!("the program {shown} cannot be executed; run chmod +x on it"),
    })
}
