//! The merge: one commit if the project has git. A demo has none, so there it only says what it
//! would do.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::code::PARTS;
use crate::trouble::Trouble;
use crate::workplace::Workplace;

pub(super) fn merge(workplace: &mut Workplace<'_>) -> Result<String, Trouble> {
    let spec = workplace.spec();
    let files = PARTS.iter().flat_map(|part| part.iter()).map(|file| file.0);
    let files: Vec<_> = files.filter(|name| workplace.code(name).exists()).collect();
    let files = files.join(", ");
    // A worktree has a file with this name: its branch is merged elsewhere.
    if !workplace.project().join(".git").is_dir() {
        workplace.say(&format!(
            "I would merge {spec} as one commit with these files of demo/{spec}/: {files}."
        ))?;
        return Ok(format!(
            "{spec} would be merged now. The scripted agent leaves git alone here."
        ));
    }
    workplace.say(&format!(
        "I commit {spec} with these files of demo/{spec}/: {files}."
    ))?;
    Ok(match commit(workplace.project(), spec) {
        true => format!("{spec} is merged as one commit."),
        false => format!("git made no commit for {spec}."),
    })
}

fn commit(project: &Path, spec: &str) -> bool {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        let command = command.arg("-C").arg(project).args(words);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let message = format!("Add {spec}\n\nKumite-Spec: {spec}");
    let tasks = format!(".kiro/specs/{spec}/tasks.md");
    // If the specs are ignored by git, only the code is committed.
    git(&["add", "--", &tasks]);
    git(&["add", "--", &format!("demo/{spec}")]);
    let who = [
        "-c",
        "user.name=kumite",
        "-c",
        "user.email=kumite@localhost",
    ];
    git(&[&who[..], &["commit", "--quiet", "-m", &message]].concat())
}
