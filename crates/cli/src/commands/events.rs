//! `kumite events`: what happened, from events.jsonl.

use std::process::ExitCode;

use console::style;
use kumite_formats::spec_name::SpecName;
use kumite_project::events_log;
use serde_json::Value;

use super::steer::Spec;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

pub fn events(setting: &Setting, args: &Spec) -> Result {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec(&name)?;
    let events = events_log::read(&spec)?;
    if events.is_empty() && !setting.global.quiet {
        eprintln!("{name} has never run");
    }
    for event in events {
        match setting.json() {
            true => out!("{event}"),
            false => out!("{}", line(&event)),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(event: &Value) -> String {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let kind = text("type");
    let shown = match kind.ends_with(":fail") {
        true => style(kind).red(),
        false => style(kind).cyan(),
    };
    format!(
        "{}  {shown:24}  {}",
        style(text("timestamp")).dim(),
        text("message")
    )
}
