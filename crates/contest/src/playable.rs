//! The files of a project from which a contest can be played.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

/// Where to look for them.
const DIRS: [&str; 4] = ["", ".kiro/contests", "configs", "examples"];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Playable {
    /// Relative to the root of the project.
    pub path: String,
    /// Whether the file contains the task; otherwise the task must be given.
    pub has_task: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{file:?} is no file of this project that ends in .toml")]
    NotOne { file: String },
}

pub fn all(project: &Path) -> Vec<Playable> {
    let mut all = Vec::new();
    for dir in DIRS {
        let entries = fs::read_dir(project.join(dir)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        for name in names {
            let path = Path::new(dir).join(name).display().to_string();
            if let Some(text) = checked(project, &path)
                .ok()
                .and_then(|it| fs::read_to_string(it).ok())
                && is_contest(&text)
            {
                let has_task = text.lines().any(|line| is_key(line, "task"));
                all.push(Playable { path, has_task });
            }
        }
    }
    all
}

/// The file itself, if it is in the project.
pub fn checked(project: &Path, file: &str) -> Result<PathBuf, Error> {
    let wrong = || Error::NotOne {
        file: file.to_owned(),
    };
    let root = fs::canonicalize(project).map_err(|_| wrong())?;
    let path = fs::canonicalize(root.join(file)).map_err(|_| wrong())?;
    let is_toml = path.extension().is_some_and(|end| end == "toml");
    match path.starts_with(&root) && is_toml && path.is_file() {
        true => Ok(path),
        false => Err(wrong()),
    }
}

/// kumite's own file has teams, mixseek's an orchestrator.
fn is_contest(text: &str) -> bool {
    let marks = ["[orchestrator]", "[[orchestrator.teams]]", "[[team]]"];
    text.lines().any(|line| marks.contains(&line.trim()))
}

fn is_key(line: &str, key: &str) -> bool {
    let rest = line.trim_start().strip_prefix(key);
    rest.is_some_and(|rest| rest.trim_start().starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_contests_of_the_project_are_offered() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("contest.toml", "task = \"x\"\n[[team]]\n");
        write("Cargo.toml", "[package]\n");
        write("configs/three.toml", "[orchestrator]\nmax_rounds = 3\n");
        write("configs/team.toml", "[team]\n");
        write(".kiro/contests/a.toml", "[[team]]\n");
        let elsewhere = tempfile::tempdir().unwrap();
        let outside = elsewhere.path().join("b.toml");
        fs::write(&outside, "[[team]]\n").unwrap();
        std::os::unix::fs::symlink(&outside, dir.path().join("link.toml")).unwrap();
        let found = all(dir.path());
        let found: Vec<(&str, bool)> = found
            .iter()
            .map(|it| (it.path.as_str(), it.has_task))
            .collect();
        let wanted = [
            ("contest.toml", true),
            (".kiro/contests/a.toml", false),
            ("configs/three.toml", false),
        ];
        assert_eq!(found, wanted);
        let outside = outside.display().to_string();
        for file in ["link.toml", "../x.toml", &outside, "none.toml", "", "."] {
            assert!(checked(dir.path(), file).is_err(), "{file}");
        }
    }
}
