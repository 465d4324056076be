//! What a killed kumite left behind: found, said, and ended.

use std::fs;
use std::path::PathBuf;

use kumite_agents::Adopted;

use crate::project::{Project, Spec};
use crate::{journal, lock, spec_file};

/// One thing that is not as it should be.
#[derive(Clone, Debug)]
pub struct Finding {
    pub what: String,
    pub remedy: Remedy,
}

#[derive(Clone, Debug)]
pub enum Remedy {
    /// The agent of this spec works and no engine knows it: its run is stopped.
    StopRun(String),
    /// Processes of an agent whose supervisor is gone.
    Sweep(String),
    /// A file that nobody needs any more.
    Remove(PathBuf),
    /// Only a person can help.
    Person(String),
}

/// Looks; changes nothing.
pub fn examine(project: &Project) -> Result<Vec<Finding>, crate::project::Error> {
    let mut findings = Vec::new();
    let engine_lives = lock::is_held(project);
    for name in project.known_runs() {
        let spec = project.spec_place(&name);
        if !engine_lives {
            agents(&spec, &mut findings);
        }
        // All of it, also what a snapshot would skip.
        if let Err(error) = journal::history(spec.run_dir()) {
            findings.push(Finding {
                what: spec_file::sentence(&error),
                remedy: Remedy::Person(format!(
                    "move {} away; the run starts again from the documents",
                    spec.run_dir().display()
                )),
            });
        }
    }
    if !engine_lives {
        socket(project, &mut findings);
        strays(project, &mut findings);
    }
    for spec in project.all_specs()? {
        broken_spec(&spec, &mut findings);
        if !engine_lives {
            half_written(&spec, &mut findings);
        }
    }
    Ok(findings)
}

fn agents(spec: &Spec, findings: &mut Vec<Finding>) {
    let entries = fs::read_dir(spec.run_dir().join("agents"));
    for entry in entries.into_iter().flatten().flatten() {
        let id = entry.file_name().to_string_lossy().into_owned();
        if let Ok(Adopted::Running(handle)) = kumite_agents::adopt(&entry.path()) {
            let pid = handle.pid().map_or("?".to_owned(), |pid| pid.to_string());
            findings.push(Finding {
                what: format!(
                    "{}: {id} (pid {pid}) works, and no kumite knows it",
                    spec.name
                ),
                remedy: Remedy::StopRun(spec.name.clone()),
            });
        }
    }
}

/// Processes of this project that carry an agent's mark and have no supervisor.
fn strays(project: &Project, findings: &mut Vec<Finding>) {
    let marker = format!("KUMITE_PROJECT={}", project.root().display());
    let supervised = supervised(project);
    let of_agents = kumite_agents::find_marked("KUMITE_AGENT=");
    let ours: Vec<u32> = kumite_agents::find_marked(&marker)
        .into_iter()
        .filter(|found| found.agent.is_empty())
        .map(|found| found.process.pid)
        .collect();
    for found in of_agents {
        if ours.contains(&found.process.pid) && !supervised.contains(&found.agent) {
            findings.push(Finding {
                what: format!(
                    "process {} of {} is left over: {}",
                    found.process.pid, found.agent, found.command
                ),
                remedy: Remedy::Sweep(format!("KUMITE_AGENT={}", found.agent)),
            });
        }
    }
}

fn supervised(project: &Project) -> Vec<String> {
    let mut ids = Vec::new();
    for name in project.known_runs() {
        let spec = project.spec_place(&name);
        let entries = fs::read_dir(spec.run_dir().join("agents"));
        for entry in entries.into_iter().flatten().flatten() {
            if let Ok(Adopted::Running(_)) = kumite_agents::adopt(&entry.path()) {
                ids.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
    ids
}

fn socket(project: &Project, findings: &mut Vec<Finding>) {
    let path = project.runtime().join("control.sock");
    if path.exists() {
        findings.push(Finding {
            what: format!("{} belongs to a kumite that is gone", path.display()),
            remedy: Remedy::Remove(path),
        });
    }
}

fn broken_spec(spec: &Spec, findings: &mut Vec<Finding>) {
    if let (_, Err(error)) = spec.read() {
        findings.push(Finding {
            what: spec_file::sentence(&error),
            remedy: Remedy::Person("repair it, or restore it with git".to_owned()),
        });
    }
}

/// The temporary file of a write that a crash cut off. The file itself is whole.
fn half_written(spec: &Spec, findings: &mut Vec<Finding>) {
    let entries = fs::read_dir(spec.main_dir())
        .into_iter()
        .flatten()
        .flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".spec.json.") && name.ends_with(".tmp") {
            findings.push(Finding {
                what: format!("{} was never finished", entry.path().display()),
                remedy: Remedy::Remove(entry.path()),
            });
        }
    }
}
