//! `kumite status`.

use clap::Args;
use console::style;
use kumite_core::facts::Verdict;
use kumite_core::names::Phase;
use kumite_formats::spec_name::SpecName;
use kumite_project::lock;
use kumite_project::project::{NotShown, Project};
use kumite_project::status::{self, ReviewRound, Status};
use serde_json::json;

use crate::args::Setting;
use crate::out::out;
use crate::render::{state_style, thousands};
use crate::trouble::Result;

#[derive(Args)]
pub struct StatusArgs {
    /// Name of a spec; by default all of them
    spec: Option<String>,
}

pub fn status(setting: &Setting, args: &StatusArgs) -> Result {
    let project = setting.project()?;
    match &args.spec {
        Some(name) => {
            let name: SpecName = name.parse()?;
            let status = status::one(&project, &project.spec(&name)?);
            warn_suspended(&project);
            setting.answer(&json!(status), || print_one(&status))
        }
        None => {
            let all = status::all(&project)?;
            let odd = project.not_shown();
            let data = json!({ "specs": all, "not_shown": odd });
            let answered = setting.answer(&data, || print_all(&project, &all));
            warn_not_shown(&odd);
            warn_suspended(&project);
            answered
        }
    }
}

/// A line about directories that a person may take for specs.
pub fn warn_not_shown(odd: &[NotShown]) {
    if !odd.is_empty() {
        eprintln!("not shown: {}", NotShown::list(odd));
    }
}

/// A suspended engine lets its agents work, but answers nobody.
fn warn_suspended(project: &Project) {
    if let Some(pid) = lock::suspended(project) {
        eprintln!("{}", lock::suspended_words(pid));
    }
}

fn print_one(status: &Status) {
    out!(
        "{}  {}",
        style(&status.spec).bold(),
        state_style(status.state).apply_to(status.state.word())
    );
    let mut rows = vec![("phase", status.phase.map_or("-", Phase::name).to_owned())];
    rows.extend(status.message.clone().map(|message| ("why", message)));
    rows.extend(status.reason.map(|reason| ("reason", reason.to_string())));
    rows.extend(status.step.map(|step| ("step", step.name().to_owned())));
    rows.extend(place(status).map(|place| ("round", place)));
    if status.tasks.total > 0 {
        rows.push((
            "tasks",
            format!("{}/{}", status.tasks.done, status.tasks.total),
        ));
    }
    for review in &status.reviews {
        rows.push(("review", review_words(review)));
    }
    for inspection in &status.inspections {
        let verdict = inspection.verdict.map_or("no verdict", Verdict::word);
        let fixed = if inspection.fixed { ", fixed" } else { "" };
        rows.push(("inspect", format!("{}: {verdict}{fixed}", inspection.round)));
    }
    for agent in &status.agents {
        let pid = agent.pid.map_or("-".to_owned(), |pid| pid.to_string());
        rows.push(("agent", format!("{} (pid {pid})", agent.id)));
    }
    if status.input_tokens + status.output_tokens > 0 || status.cost_usd > 0.0 {
        rows.push((
            "used",
            format!(
                "${:.2}, {} tokens in, {} out",
                status.cost_usd,
                thousands(status.input_tokens),
                thousands(status.output_tokens)
            ),
        ));
    }
    for (name, value) in rows {
        out!("  {:7} {value}", style(name).dim());
    }
}

fn review_words(review: &ReviewRound) -> String {
    match (review.fix_required, review.needs_discussion) {
        (Some(fix), Some(discuss)) => {
            format!("{}: {fix} to fix, {discuss} to discuss", review.round)
        }
        _ => format!("{}: not judged", review.round),
    }
}

fn print_all(project: &Project, all: &[Status]) {
    if all.is_empty() {
        let specs = project.specs();
        out!(
            "no specs yet in {}; `kumite new NAME` makes one",
            specs.display()
        );
        return;
    }
    let width = all
        .iter()
        .map(|status| status.spec.len())
        .max()
        .unwrap_or(0);
    for status in all {
        let tasks = match status.tasks.total {
            0 => String::new(),
            total => format!("{}/{total}", status.tasks.done),
        };
        out!(
            "{:width$}  {:8} {:15} {:7} {:8} {}",
            style(&status.spec).bold(),
            state_style(status.state).apply_to(status.state.word()),
            status.phase.map_or("-", Phase::name),
            place(status).unwrap_or_default(),
            tasks,
            status.message.as_deref().unwrap_or_default(),
        );
    }
}

fn place(status: &Status) -> Option<String> {
    match (
        status.round,
        status.rounds_max,
        status.attempt,
        status.attempts_max,
    ) {
        (Some(round), Some(max), _, _) => Some(format!("{round}/{max}")),
        (_, _, Some(attempt), Some(max)) if attempt > 0 => Some(format!("{attempt}/{max}")),
        _ => None,
    }
}
