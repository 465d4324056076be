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
    if workplace.project().join(".git").is_file() {
        workplace.say(&format!("I merge the branch of {spec} as one commit."))?;
        return Ok(match squash(workplace.project(), spec) {
            true => format!("{spec} is merged as one commit."),
            false => format!("git made no commit for {spec}."),
        });
    }
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

/// Commits the worktree, and brings it into the main checkout as one commit.
fn squash(worktree: &Path, spec: &str) -> bool {
    let common = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let asked = Command::new("git")
        .arg("-C")
        .arg(worktree)
        .args(common)
        .output();
    let Ok(asked) = asked else {
        return false;
    };
    let common = String::from_utf8_lossy(asked.stdout.trim_ascii()).into_owned();
    let Some(main) = Path::new(&common).parent() else {
        return false;
    };
    let branch = format!("feature/{spec}");
    git(worktree, &["add", "--all"]);
    git(
        worktree,
        &["commit", "--quiet", "-m", &format!("Work on {spec}")],
    );
    let message = format!("Add {spec}\n\nKumite-Spec: {spec}");
    git(main, &["merge", "--quiet", "--squash", &branch])
        && git(main, &["commit", "--quiet", "-m", &message])
}

fn git(dir: &Path, words: &[&str]) -> bool {
    let who = [
        "-c",
        "user.name=kumite",
        "-c",
        "user.email=kumite@localhost",
    ];
    let mut command = Command::new("git");
    let command = command.arg("-C").arg(dir).args(who).args(words);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn commit(project: &Path, spec: &str) -> bool {
    let message = format!("Add {spec}\n\nKumite-Spec: {spec}");
    let tasks = format!(".kiro/specs/{spec}/tasks.md");
    // If the specs are ignored by git, only the code is committed.
    git(project, &["add", "--", &tasks]);
    git(project, &["add", "--", &format!("demo/{spec}")]);
    git(project, &["commit", "--quiet", "-m", &message])
}
