//! The agents of contests, which belong to no run.

use std::fs;
use std::path::PathBuf;

use kumite_agents::{Adopted, Remains, agent_of};
use kumite_contest::home::Home;
use kumite_core::contest::Contest;

use super::{Finding, Remedy, left_over, unreadable};
use kumite_project::journal;
use kumite_project::project::{Project, contest_agents};

/// Journals that cannot be read, and what agents of contests have left that nobody plays.
pub fn examine(project: &Project, findings: &mut Vec<Finding>) {
    for contest in contests(project) {
        if let Err(error) = journal::replay::<Contest>(&contest, |_, _, _| {}) {
            let dir = contest.display();
            let away = format!("move {dir} away; its rows stay on the board");
            findings.push(unreadable(&error, away));
        }
    }
    for contest in contests(project).filter(|contest| !Home::at(contest.clone()).is_played()) {
        let id = contest.file_name().unwrap_or_default().to_string_lossy();
        for dir in contest_agents(&contest) {
            let agent = agent_of(&dir).unwrap_or_default();
            match kumite_agents::adopt(&dir) {
                Ok(Adopted::Running(handle)) => {
                    let pid = handle.pid().map_or("?".to_owned(), |pid| pid.to_string());
                    findings.push(Finding {
                        what: format!("{agent} (pid {pid}) works, and no kumite plays its contest"),
                        remedy: Remedy::Person(format!(
                            "`kumite contest resume {id}` goes on with it, \
                             `kumite contest cancel {id}` ends it"
                        )),
                    });
                }
                Ok(Adopted::Foreign(owner)) => findings.push(Finding {
                    what: format!("contest {id} has {owner}"),
                    remedy: Remedy::Person(format!("ask {}", owner.user)),
                }),
                Ok(Adopted::Lost | Adopted::Ended(_) | Adopted::NeverStarted) | Err(_) => {
                    left_over(&agent, Remains::of(&dir), findings);
                }
            }
        }
    }
}

/// The ids of all agents that have a directory.
pub fn known_agents(project: &Project) -> impl Iterator<Item = String> {
    let dirs = contests(project).flat_map(|contest| contest_agents(&contest));
    dirs.filter_map(|dir| agent_of(&dir))
}

fn contests(project: &Project) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(project.contests()).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn agents_of_contests_are_known_and_what_never_started_is_nothing_to_report() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path());
        let contest = project.contests().join("c1");
        let agent = contest.join("teams/0/round-2/agent-1-2");
        fs::create_dir_all(&agent).unwrap();
        fs::create_dir_all(contest.join("teams/0/round-2/other")).unwrap();
        fs::write(contest.join("teams/0/round-2/agent-1.log"), "").unwrap();
        assert_eq!(contest_agents(&contest), vec![agent.clone()]);
        assert_eq!(known_agents(&project).count(), 0);
        let request = r#"{"agent":"c1.a.2.agent-1-2","program":"p","args":[],"cwd":"/","env":[],
            "stdin":null,"log":"/l","protocol":"plain","session":null,"step_timeout_ms":0,
            "silence_timeout_ms":0,"exit_grace_ms":0,"term_grace_ms":0,"spawn_retries":0}"#;
        fs::write(agent.join("request.json"), request).unwrap();
        let known: Vec<String> = known_agents(&project).collect();
        assert_eq!(known, ["c1.a.2.agent-1-2"]);
        let mut findings = Vec::new();
        examine(&project, &mut findings);
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn a_contest_that_somebody_plays_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().to_owned());
        assert!(!home.is_played());
        let lock = File::create(dir.path().join("lock")).unwrap();
        assert!(!home.is_played());
        lock.lock().unwrap();
        assert!(home.is_played());
    }
}
