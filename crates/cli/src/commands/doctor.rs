//! `kumite doctor`: finds what a killed kumite left behind, ends it, and says what it did.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Args;
use kumite_host::control::Request;
use kumite_host::doctor::{Finding, Remedy, examine};
use kumite_host::project::Project;
use kumite_host::settings::Flags;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;
use crate::{attend, exit};

#[derive(Args)]
pub struct DoctorArgs {
    /// Only say what is wrong
    #[arg(long)]
    dry_run: bool,
}

pub fn doctor(setting: &Setting, args: &DoctorArgs) -> Result {
    let project = setting.project()?;
    let findings = examine(&project)?;
    let mut left = 0;
    let mut rows = Vec::new();
    for finding in &findings {
        let done = match args.dry_run {
            true => plan(finding),
            false => cure(setting, &project, finding)?,
        };
        left += u32::from(matches!(finding.remedy, Remedy::Person(_)));
        rows.push((finding.what.clone(), done));
    }
    match setting.json() {
        true => print_json(&rows),
        false => print(&rows),
    }
    Ok(match left {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::PERSON_NEEDED),
    })
}

fn print(rows: &[(String, String)]) {
    if rows.is_empty() {
        out!("all is well: no process, lock or file is left behind");
    }
    for (what, done) in rows {
        out!("{what}\n  -> {done}");
    }
}

fn print_json(rows: &[(String, String)]) {
    let findings: Vec<_> = rows
        .iter()
        .map(|(what, done)| serde_json::json!({"what": what, "done": done}))
        .collect();
    out!("{}", serde_json::json!({ "findings": findings }));
}

fn plan(finding: &Finding) -> String {
    match &finding.remedy {
        Remedy::StopRun(spec) => format!("would end it; `kumite run {spec}` would adopt it"),
        Remedy::Sweep(_) => "would end it".to_owned(),
        Remedy::Remove(_) => "would remove it".to_owned(),
        Remedy::Person(advice) => advice.clone(),
    }
}

fn cure(setting: &Setting, project: &Project, finding: &Finding) -> Result<String> {
    Ok(match &finding.remedy {
        Remedy::StopRun(spec) => {
            let loader = setting.loader(project, Flags::default())?;
            let specs = vec![spec.clone()];
            attend::ask(project, &loader, &Request::Interrupt { specs })?;
            format!("ended; `kumite run {spec}` goes on")
        }
        Remedy::Sweep(marker) => match kumite_agents::sweep(marker).len() {
            0 => "it has gone by itself".to_owned(),
            count => format!("ended ({count} processes)"),
        },
        Remedy::Remove(path) => match std::fs::remove_file(path) {
            // The remedy of an earlier finding may have seen to it.
            Err(error) if error.kind() == ErrorKind::NotFound => "it has gone by itself".to_owned(),
            removed => removed.map(|()| "removed".to_owned())?,
        },
        Remedy::Person(advice) => advice.clone(),
    })
}
