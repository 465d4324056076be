//! `kumite replay`: every journal entry, the decision taken, and why.

use std::process::ExitCode;

use console::style;
use kumite_formats::spec_name::SpecName;
use kumite_project::clock::rfc3339;
use kumite_project::decisions::Decision;
use kumite_project::picture::Picture;

use super::steer::Spec;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

pub fn replay(setting: &Setting, args: &Spec) -> Result {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec(&name)?;
    let picture = Picture::read(&project, spec).readable()?;
    if picture.history.is_empty() && !setting.json() {
        out!("{name} has never run");
    }
    for decision in picture.decisions() {
        match setting.json() {
            true => out!("{}", serde_json::json!(decision)),
            false => print(&decision),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(decision: &Decision) {
    let Decision { entry, effects, .. } = decision;
    out!(
        "{} {}  {}",
        style(format!("{:4}", entry.seq)).dim(),
        style(rfc3339(entry.at_ms)).dim(),
        style(&decision.event).bold()
    );
    for line in effects {
        out!("       -> {line}");
    }
    out!(
        "       {} {}",
        style("=").dim(),
        style(&decision.state).cyan()
    );
}
