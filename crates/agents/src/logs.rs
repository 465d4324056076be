//! The files that agents leave in a spec's `logs` directory.
//!
//! | file                | what it is |
//! |---------------------|------------|
//! | `<agent>.log`       | raw stdout, secrets masked |
//! | `<agent>.stderr.log`| raw stderr, secrets masked |
//! | `<agent>.jsonl`     | the transcript: [`crate::TranscriptLine`]s |
//! | `….1.log`, `….1.jsonl` | the older half of a file that reached its limit |

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::journal::AgentId;

use crate::files::Error;

/// The logs of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLogs {
    pub agent: AgentId,
    dir: PathBuf,
}

impl AgentLogs {
    /// The logs of `agent` in `dir`, whether they exist or not.
    pub fn new(dir: &Path, agent: AgentId) -> AgentLogs {
        AgentLogs {
            agent,
            dir: dir.to_owned(),
        }
    }

    pub fn raw(&self) -> PathBuf {
        self.dir.join(format!("{}.log", self.agent))
    }

    pub fn transcript(&self) -> PathBuf {
        transcript_of(&self.raw())
    }
}

/// All agents that have logs in `dir`, oldest first. A missing directory has none.
pub fn agent_logs(dir: &Path) -> Result<Vec<AgentLogs>, Error> {
    let agents = files(dir)?.into_keys();
    Ok(agents.map(|agent| AgentLogs::new(dir, agent)).collect())
}

/// Removes the logs of the oldest agents until the rest has at most `max_bytes`, but never those of
/// `keep`. 0 bytes means no limit. Returns the agents whose logs were removed.
pub fn prune(dir: &Path, max_bytes: u64, keep: &[AgentId]) -> Result<Vec<AgentId>, Error> {
    if max_bytes == 0 {
        return Ok(Vec::new());
    }
    let files = files(dir)?;
    let mut total: u64 = files.values().flatten().map(|file| file.bytes).sum();
    let mut removed = Vec::new();
    for (agent, files) in files {
        if total <= max_bytes {
            break;
        }
        if keep.contains(&agent) {
            continue;
        }
        for file in files {
            match fs::remove_file(&file.path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    let path = file.path;
                    return Err(Error::Write { path, source });
                }
                _ => total -= file.bytes,
            }
        }
        removed.push(agent);
    }
    Ok(removed)
}

struct Found {
    path: PathBuf,
    bytes: u64,
}

/// The files of each agent. Files with other names are ignored.
fn files(dir: &Path) -> Result<BTreeMap<AgentId, Vec<Found>>, Error> {
    let trouble = |source| Error::Read {
        path: dir.to_owned(),
        source,
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(trouble(error)),
    };
    let mut files: BTreeMap<AgentId, Vec<Found>> = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(trouble)?;
        let name = entry.file_name();
        let Some((stem, end)) = name.to_str().and_then(|name| name.split_once('.')) else {
            continue;
        };
        let is_ours = matches!(
            end,
            "log" | "1.log" | "stderr.log" | "stderr.1.log" | "jsonl" | "1.jsonl"
        );
        if let (true, Ok(agent)) = (is_ours, stem.parse::<AgentId>()) {
            files.entry(agent).or_default().push(Found {
                path: entry.path(),
                // A file that was removed meanwhile has no size.
                bytes: entry.metadata().map_or(0, |found| found.len()),
            });
        }
    }
    Ok(files)
}

/// The path of the older half of a log: `agent.log` becomes `agent.1.log`.
pub fn rotated(path: &Path) -> PathBuf {
    let end = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("1.{end}"))
}

/// The transcript that belongs to a raw log.
pub(crate) fn transcript_of(log: &Path) -> PathBuf {
    log.with_extension("jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(number: u64) -> AgentId {
        AgentId {
            at_ms: 1_700_000_000_000 + number,
            seq: number,
        }
    }

    /// Three agents with four files of 100 bytes each, and a foreign file.
    fn three() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for number in 1..=3 {
            for end in ["log", "1.log", "stderr.log", "jsonl"] {
                let name = format!("{}.{end}", agent(number));
                fs::write(dir.path().join(name), [b'x'; 100]).unwrap();
            }
        }
        fs::write(dir.path().join("notes.log"), [b'x'; 1000]).unwrap();
        dir
    }

    fn left(dir: &Path) -> Vec<AgentId> {
        let logs = agent_logs(dir).unwrap().into_iter();
        logs.map(|logs| logs.agent).collect()
    }

    #[test]
    fn the_oldest_agents_go_first_and_whole() {
        let dir = three();
        assert_eq!(prune(dir.path(), 1200, &[]).unwrap(), []);
        assert_eq!(prune(dir.path(), 1199, &[]).unwrap(), [agent(1)]);
        assert_eq!(left(dir.path()), [agent(2), agent(3)]);
        assert_eq!(prune(dir.path(), 1, &[]).unwrap(), [agent(2), agent(3)]);
        let rest = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(rest, 1, "somebody else's file stays");
    }

    #[test]
    fn a_kept_agent_stays_whatever_it_takes() {
        let dir = three();
        let removed = prune(dir.path(), 400, &[agent(1), agent(3)]).unwrap();
        assert_eq!(removed, [agent(2)]);
        assert_eq!(left(dir.path()), [agent(1), agent(3)]);
    }

    #[test]
    fn no_limit_and_no_directory_remove_nothing() {
        let dir = three();
        assert_eq!(prune(dir.path(), 0, &[]).unwrap(), []);
        assert_eq!(prune(&dir.path().join("none"), 1, &[]).unwrap(), []);
        assert_eq!(left(&dir.path().join("none")), []);
    }
}
