//! The dry run: everything that can be known about a contest before a cent is spent, beyond its
//! files.

mod models;
mod programs;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::path::{Path, PathBuf};

use kumite_formats::Settings;
use kumite_formats::contest::{Named, Places, Plan, Problem, Prompts, TeamKind};
use rustix::fs::{Access, access};
use serde_json::{Value, json};

use crate::prompts::{self, Templates};
use kumite_git::Repository;

/// What the checks need.
pub struct CheckMeans<'a> {
    pub project: &'a Path,
    /// All files that the plan was read from.
    pub files: &'a [PathBuf],
    /// Where the plan names the things that are checked here.
    pub places: &'a Places,
    pub workspace: Option<&'a Path>,
    pub settings: &'a Settings,
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub category: &'static str,
    pub name: String,
    pub status: Status,
    /// For an error, with file and line as far as known.
    pub message: String,
    pub file: Option<PathBuf>,
}

kumite_core::words! {
    pub enum Status: name {
        Ok = "ok",
        Error = "error",
        Skipped = "skipped",
    }
}

/// Checks everything; one mistake does not hide another.
pub fn check(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let mut checks = files(means);
    checks.extend(agents(plan, means));
    checks.extend(models::keys(plan, means));
    checks.extend(models::budget(plan, means));
    checks.extend(programs::commands(plan, means));
    checks.extend(programs::plugins(plan, means));
    checks.extend(templates(plan, means));
    checks.extend(means.workspace.map(workspace));
    checks
}

/// The same form for a contest whose files were refused.
pub fn refused(problems: &[Problem]) -> Vec<Check> {
    let check = |problem: &Problem| Check {
        category: "settings",
        name: problem.file.display().to_string(),
        status: Status::Error,
        message: problem.to_string(),
        file: Some(problem.file.clone()),
    };
    problems.iter().map(check).collect()
}

pub fn is_good(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.status != Status::Error)
}

/// What is wrong, one sentence each.
pub fn errors(checks: &[Check]) -> Vec<&str> {
    let wrong = checks.iter().filter(|it| it.status == Status::Error);
    wrong.map(|it| it.message.as_str()).collect()
}

/// In the format of mixseek's dry run.
pub fn to_json(checks: &[Check]) -> Value {
    let mut categories: Vec<(&str, Vec<Value>)> = Vec::new();
    for check in checks {
        let value = json!({
            "name": check.name,
            "status": check.status.name(),
            "message": check.message,
            "source_file": check.file,
        });
        match categories
            .iter_mut()
            .find(|(name, _)| *name == check.category)
        {
            Some((_, values)) => values.push(value),
            None => categories.push((check.category, vec![value])),
        }
    }
    let category = |(category, checks)| json!({"category": category, "checks": checks});
    json!({"categories": categories.into_iter().map(category).collect::<Vec<_>>()})
}

impl CheckMeans<'_> {
    /// A check of something that the plan names.
    fn named<E: Display>(
        &self,
        category: &'static str,
        (named, name): (Named, &str),
        found: Result<String, E>,
    ) -> Check {
        let at = self.places.of(named, name);
        let (status, message) = match (found, at) {
            (Ok(message), _) => (Status::Ok, message),
            (Err(error), Some(at)) => (Status::Error, format!("{at}: {error}")),
            (Err(error), None) => (Status::Error, error.to_string()),
        };
        Check {
            category,
            name: name.to_owned(),
            status,
            message,
            file: at.map(|at| at.file.to_path_buf()),
        }
    }
}

/// They were read, otherwise there would be no plan.
fn files(means: &CheckMeans<'_>) -> Vec<Check> {
    let check = |file: &PathBuf| Check {
        category: "settings",
        name: file.display().to_string(),
        status: Status::Ok,
        message: "all of it is understood".to_owned(),
        file: Some(file.clone()),
    };
    means.files.iter().map(check).collect()
}

/// Agents are in the settings, their programs exist, and there is a commit to begin with.
fn agents(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let names = plan.teams.iter().filter_map(|team| match &team.kind {
        TeamKind::Agent(agent) => Some(agent.agent.as_str()),
        TeamKind::Model(_) | TeamKind::Scripted { .. } => None,
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    let agent = |name: &&str| {
        let found = programs::agent(name, means);
        means.named("agents", (Named::Agent, name), found)
    };
    let mut checks: Vec<Check> = names.iter().map(agent).collect();
    let head = Repository::of(means.project).and_then(|repository| repository.head());
    checks.push(Check {
        category: "agents",
        name: "worktrees".to_owned(),
        status: if head.is_ok() {
            Status::Ok
        } else {
            Status::Error
        },
        message: match head {
            Ok(commit) => format!("teams begin with the commit {commit}"),
            Err(error) => error.to_string(),
        },
        file: None,
    });
    checks
}

/// Each separately, so that one mistake does not hide another.
fn templates(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let Prompts {
        team,
        evaluator,
        judge,
    } = plan.prompts.clone();
    let none = Prompts::default;
    let each = [
        ("team", team.is_some(), Prompts { team, ..none() }),
        (
            "evaluator",
            evaluator.is_some(),
            Prompts {
                evaluator,
                ..none()
            },
        ),
        ("judge", judge.is_some(), Prompts { judge, ..none() }),
    ];
    let mut checks = Vec::new();
    for (name, is_own, prompts) in each {
        let tried = Templates::new(&prompts, plan.history_chars);
        let found = tried.map(|_| match is_own {
            true => "it can be filled in".to_owned(),
            false => "the built-in one".to_owned(),
        });
        checks.push(means.named("prompts", (Named::Prompt, name), found));
    }
    if let Err(error) = prompts::time_zone((means.env)("TZ").as_deref()) {
        checks.push(Check {
            category: "prompts",
            name: "TZ".to_owned(),
            status: Status::Error,
            message: error.to_string(),
            file: None,
        });
    }
    checks
}

fn workspace(path: &Path) -> Check {
    let can_write = access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let wrong = match (path.is_dir(), can_write) {
        (true, true) => None,
        (true, false) => Some("nothing can be written there"),
        (false, _) => Some("there is no such directory"),
    };
    let shown = path.display();
    Check {
        category: "workspace",
        name: shown.to_string(),
        status: wrong.map_or(Status::Ok, |_| Status::Error),
        message: match wrong {
            Some(wrong) => format!("the workspace {shown}: {wrong}"),
            None => "it can be written to".to_owned(),
        },
        file: None,
    }
}
