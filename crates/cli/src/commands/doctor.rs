//! `kumite doctor`: finds what a killed kumite left, ends it, and reports what it did.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Args;
use kumite_agents::Means;
use kumite_host::Request;
use kumite_host::client;
use kumite_host::doctor::{Finding, Remedy, examine, lacking, notes};
use kumite_project::project::Project;
use serde_json::{Value, json};

use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::trouble::Result;

const STAYS: &str = "it does not end; look at it with ps, and ask its user";

#[derive(Args)]
pub struct DoctorArgs {
    /// Only report what is wrong
    #[arg(long)]
    dry_run: bool,
}

pub fn doctor(setting: &Setting, args: &DoctorArgs) -> Result {
    let project = setting.project()?;
    let means = kumite_agents::means();
    let mut findings = examine(&project)?;
    findings.extend(lacking(&means));
    let mut left = 0;
    let mut rows = Vec::new();
    for finding in &findings {
        let done = match args.dry_run {
            true => plan(finding),
            false => cure(&project, finding)?,
        };
        let needs_person = matches!(finding.remedy, Remedy::Person(_)) || done == STAYS;
        left += u32::from(needs_person);
        rows.push((finding.what.clone(), done));
    }
    match setting.json() {
        true => print_json(&project, &rows, &means),
        false => print(&project, &rows, &means),
    }
    Ok(match left {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::PERSON_NEEDED),
    })
}

fn print(project: &Project, rows: &[(String, String)], means: &Means) {
    if rows.is_empty() {
        out!("{}", nothing_found(means));
    }
    for (what, done) in rows {
        out!("{what}\n  -> {done}");
    }
    for note in notes(project) {
        out!("{note}");
    }
    out!("{}", contained_by(means));
}

/// Without a cgroup we cannot promise more: a process is then known only by its environment, and by
/// what its supervisor noted every few seconds.
fn nothing_found(means: &Means) -> &'static str {
    match means.cgroup {
        Ok(_) => "all is well: no process, lock or file is left behind",
        Err(_) => {
            "nothing that can be recognised is left; without a cgroup a process that cleared its \
             environment could not be"
        }
    }
}

/// One line: how agents are contained on this machine.
fn contained_by(means: &Means) -> String {
    let has = [
        ("subreaper", means.subreaper.is_ok()),
        ("pidfd", means.pidfd.is_ok()),
    ];
    let has: Vec<&str> = has.iter().filter(|it| it.1).map(|it| it.0).collect();
    let has = match has[..] {
        [] => "nothing".to_owned(),
        [..] => has.join(" and "),
    };
    match &means.cgroup {
        Ok(home) => format!(
            "agents are contained by {has}, and by a cgroup v2 (in {})",
            home.display()
        ),
        Err(why) => format!(
            "agents are contained by {has}, not by a cgroup ({why}): a process that clears its \
             environment could outlive kumite and its supervisor, if both are killed; a session of \
             your own (`systemd-run --user --scope -p Delegate=yes`) gives kumite a cgroup"
        ),
    }
}

fn print_json(project: &Project, rows: &[(String, String)], means: &Means) {
    let findings: Vec<_> = rows
        .iter()
        .map(|(what, done)| json!({"what": what, "done": done}))
        .collect();
    let home = means.cgroup.as_ref().map(|_| ()).map_err(Clone::clone);
    let containment = json!({
        "subreaper": available(&means.subreaper),
        "pidfd": available(&means.pidfd),
        "cgroup_v2": available(&home),
    });
    out!(
        "{}",
        json!({ "findings": findings, "notes": notes(project), "containment": containment })
    );
}

fn available(means: &std::result::Result<(), String>) -> Value {
    match means {
        Ok(()) => json!({"available": true}),
        Err(why) => json!({"available": false, "why": why}),
    }
}

fn plan(finding: &Finding) -> String {
    match &finding.remedy {
        Remedy::StopRun(spec) => format!("would end it; `kumite run {spec}` would adopt it"),
        Remedy::End(_) => "would end it".to_owned(),
        Remedy::Remove(_) => "would remove it".to_owned(),
        Remedy::Person(advice) => advice.clone(),
    }
}

fn cure(project: &Project, finding: &Finding) -> Result<String> {
    Ok(match &finding.remedy {
        Remedy::StopRun(spec) => {
            let specs = vec![spec.clone()];
            client::ask(project, &Request::Interrupt { specs }, None)?;
            format!("ended; `kumite run {spec}` goes on")
        }
        Remedy::End(remains) => {
            remains.end();
            match remains.find()[..] {
                [] => "ended".to_owned(),
                [..] => STAYS.to_owned(),
            }
        }
        Remedy::Remove(path) => match std::fs::remove_file(path) {
            // The remedy of an earlier finding may have removed it.
            Err(error) if error.kind() == ErrorKind::NotFound => "it has gone by itself".to_owned(),
            removed => removed.map(|()| "removed".to_owned())?,
        },
        Remedy::Person(advice) => advice.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_without_a_cgroup_it_promises_no_more_than_it_can_know() {
        let means = |cgroup| Means {
            subreaper: Ok(()),
            pidfd: Ok(()),
            cgroup,
        };
        let with = nothing_found(&means(Ok("/sys/fs/cgroup/x".into())));
        assert!(with.starts_with("all is well"));
        let without = nothing_found(&means(Err("not delegated".to_owned())));
        assert!(without.starts_with("nothing that can be recognised is left; without a cgroup"));
    }
}
