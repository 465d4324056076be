//! What a killed kumite left behind: found, reported, and ended.

mod contests;
mod places;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use kumite_agents::{Adopted, Left, Means, Remains};

use kumite_project::project::{NotShown, Project, Spec};
use kumite_project::{journal, lock, place, spec_file};

/// One problem.
#[derive(Clone, Debug)]
pub struct Finding {
    pub what: String,
    pub remedy: Remedy,
}

#[derive(Clone, Debug)]
pub enum Remedy {
    /// The agent of this spec works without an engine: its run is stopped.
    StopRun(String),
    /// Processes of an agent whose supervisor is gone.
    End(Remains),
    /// A file that nobody needs any more.
    Remove(PathBuf),
    /// Only a person can help.
    Person(String),
}

/// Only looks; changes nothing.
pub fn examine(project: &Project) -> Result<Vec<Finding>, kumite_project::project::Error> {
    let mut findings = places::examine(project);
    let hidden = places::hidden_lock(project);
    // If the lock cannot be read, an engine may be running, so nothing of it is touched.
    let engine_lives = hidden.is_some() || lock::is_held(project);
    findings.extend(hidden);
    for name in project.known_runs() {
        let spec = project.spec_place(&name);
        match engine_lives {
            false => agents(&spec, &mut findings),
            true if !spec.exists() => homeless(&spec, &mut findings),
            true => {}
        }
        // All of it, also what a snapshot would skip.
        if let Err(error) = journal::history(spec.run_dir()) {
            let dir = spec.run_dir().display();
            let away = format!("move {dir} away; the run starts again from the documents");
            findings.push(unreadable(&error, away));
        }
    }
    if !engine_lives {
        socket(project, &mut findings);
        strays(project, &mut findings);
    }
    contests::examine(project, &mut findings);
    // They may hold work, so only a person removes them.
    findings.extend(place::strays(project).into_iter().map(|stray| Finding {
        what: stray.what,
        remedy: Remedy::Person(stray.remedy),
    }));
    findings.extend(lock::suspended(project).map(|pid| Finding {
        what: format!("kumite (pid {pid}) is suspended: it answers nobody"),
        remedy: Remedy::Person(format!("`fg` in its terminal, or `kill -CONT {pid}`")),
    }));
    for spec in project.all_specs()? {
        broken_spec(&spec, &mut findings);
        if !engine_lives {
            half_written(&spec, &mut findings);
        }
    }
    Ok(findings)
}

/// `otherwise` is what to do with a journal that no kumite can read.
fn unreadable(error: &journal::Error, otherwise: String) -> Finding {
    if let journal::Error::Newer { path, version } = error {
        return Finding {
            what: format!(
                "{} was written by a newer kumite (version {version})",
                path.display()
            ),
            remedy: Remedy::Person(journal::update()),
        };
    }
    let (what, advice) = match error {
        // The sentence of the error sends people here.
        journal::Error::Broken { path, line, why } => (
            format!("{}:{line}: not a journal entry ({why})", path.display()),
            otherwise,
        ),
        journal::Error::Open { source, .. } if source.kind() == ErrorKind::PermissionDenied => (
            spec_file::sentence(error),
            "see to it that you may read it; nothing was changed".to_owned(),
        ),
        error => (spec_file::sentence(error), otherwise),
    };
    Finding {
        what,
        remedy: Remedy::Person(advice),
    }
}

/// What is correct, but may surprise a person: directories that look like specs, and specs that are
/// hard to name.
pub fn notes(project: &Project) -> Vec<String> {
    let odd = project.not_shown();
    let odd = (!odd.is_empty()).then(|| format!("not shown: {}", NotShown::list(&odd)));
    let specs = project.all_specs().unwrap_or_default().into_iter();
    let hyphens = specs.filter(|spec| spec.name.starts_with('-'));
    let hyphens = hyphens.map(|spec| {
        let name = spec.name;
        format!("{name} begins with a hyphen: `kumite run -- {name}`, or give it another name")
    });
    odd.into_iter().chain(hyphens).collect()
}

/// What the machine lacks for containing agents.
pub fn lacking(means: &Means) -> Vec<Finding> {
    let needed = [
        ("no process can inherit orphans", &means.subreaper),
        ("no process can be held by a descriptor", &means.pidfd),
    ];
    let missing = needed.into_iter().filter_map(|(what, means)| {
        let why = means.as_ref().err()?;
        Some(Finding {
            what: format!("{what}: {why}"),
            remedy: Remedy::Person(
                "agents cannot be contained here; use Linux 5.4 or newer, outside of a sandbox \
                 that forbids it"
                    .to_owned(),
            ),
        })
    });
    missing.collect()
}

fn agents(spec: &Spec, findings: &mut Vec<Finding>) {
    let entries = fs::read_dir(spec.run_dir().join("agents"));
    for entry in entries.into_iter().flatten().flatten() {
        let id = entry.file_name().to_string_lossy().into_owned();
        match kumite_agents::adopt(&entry.path()) {
            Ok(Adopted::Running(handle)) => {
                let pid = handle.pid().map_or("?".to_owned(), |pid| pid.to_string());
                findings.push(Finding {
                    what: format!(
                        "{}: {id} (pid {pid}) works, and no kumite knows it",
                        spec.name
                    ),
                    remedy: Remedy::StopRun(spec.name.clone()),
                });
            }
            Ok(Adopted::Foreign(owner)) => findings.push(Finding {
                what: format!("{} has {owner}", spec.name),
                remedy: Remedy::Person(format!("ask {}", owner.user)),
            }),
            Ok(Adopted::Lost | Adopted::Ended(_) | Adopted::NeverStarted) | Err(_) => {
                left_over(&id, Remains::of(&entry.path()), findings);
            }
        }
    }
}

/// A running agent of an engine whose spec directory was removed.
fn homeless(spec: &Spec, findings: &mut Vec<Finding>) {
    let name = &spec.name;
    let entries = fs::read_dir(spec.run_dir().join("agents"));
    for entry in entries.into_iter().flatten().flatten() {
        if let Ok(Adopted::Running(handle)) = kumite_agents::adopt(&entry.path()) {
            let id = entry.file_name().to_string_lossy().into_owned();
            let pid = handle.pid().map_or("?".to_owned(), |pid| pid.to_string());
            findings.push(Finding {
                what: format!(
                    "{name}: {id} (pid {pid}) works, but the spec in {} was removed",
                    spec.main_dir().display()
                ),
                remedy: Remedy::Person(format!(
                    "restore the directory, or end the agent: `kumite stop {name}`"
                )),
            });
        }
    }
}

/// What an agent without a supervisor has left.
fn left_over(id: &str, remains: Remains, findings: &mut Vec<Finding>) {
    let left = remains.find();
    let named = |left: &Left| {
        format!(
            "process {} {} (by its {})",
            left.process.pid, left.command, left.by
        )
    };
    let named: Vec<String> = left.iter().map(named).collect();
    let what = match (&named[..], remains.cgroup()) {
        ([], None) => return,
        ([], Some(cgroup)) => format!("its cgroup {}, which is empty", cgroup.display()),
        (named, _) => named.join(", "),
    };
    findings.push(Finding {
        what: format!("left behind by {id}: {what}"),
        remedy: Remedy::End(remains),
    });
}

/// Processes of this project with an agent's mark, whose supervisor and records are gone.
fn strays(project: &Project, findings: &mut Vec<Finding>) {
    let known = known_agents(project);
    let project = format!("KUMITE_PROJECT={}", project.root().display());
    let marked = kumite_agents::find_marked("KUMITE_AGENT=").into_iter();
    let unknown: BTreeSet<String> = marked
        .map(|found| found.agent)
        .filter(|agent| !known.contains(agent))
        .collect();
    for agent in unknown {
        // Only of this project: an agent of another one may have the same id.
        let mark = format!("KUMITE_AGENT={agent}");
        left_over(&agent, Remains::marked(&[&mark, &project]), findings);
    }
}

/// The agents that still have a directory.
fn known_agents(project: &Project) -> Vec<String> {
    let mut ids = Vec::new();
    for name in project.known_runs() {
        let spec = project.spec_place(&name);
        let entries = fs::read_dir(spec.run_dir().join("agents"));
        let entries = entries.into_iter().flatten().flatten();
        ids.extend(entries.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    }
    ids.extend(contests::known_agents(project));
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

/// The temporary file of a write that a crash interrupted. The file itself is complete.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_may_not_be_read_is_not_to_be_moved_away() {
        let path = PathBuf::from("/nowhere/journal.jsonl");
        let source = std::io::Error::from(ErrorKind::PermissionDenied);
        let finding = unreadable(&journal::Error::Open { path, source }, "move it".to_owned());
        let Remedy::Person(advice) = finding.remedy else {
            panic!("{finding:?}");
        };
        assert_eq!(
            advice,
            "see to it that you may read it; nothing was changed"
        );
    }
}
