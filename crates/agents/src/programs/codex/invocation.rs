//! Codex, `exec --json`.

use crate::driver::{Assignment, words};
use crate::programs::Config;

pub fn args(config: &Config<'_>, assignment: &Assignment) -> Vec<String> {
    // Without `--skip-git-repo-check`, Codex would refuse a directory outside a git repository.
    let mut args = Vec::from(words(["exec", "--json", "--skip-git-repo-check"]));
    // Without `-s`, a resumed session would silently become read-only.
    args.extend(words(["-s", config.mode]));
    if !config.model.is_empty() {
        args.extend(words(["-m", config.model]));
    }
    args.extend(config.args.iter().cloned());
    // The options come before `resume`: after it, Codex accepts only a few of them.
    if let Some(session) = &assignment.resume {
        args.extend(words(["resume", session]));
    }
    // The prompt comes through stdin: as an argument it could look like an option.
    args.extend(words(["-"]));
    args
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;
    use crate::driver::assignment;
    use crate::programs::invocation;

    #[test]
    fn options_come_before_resume_and_the_prompt_by_stdin() {
        let args = words(["-c", "a=1"]);
        let config = Config::new(ProgramKind::Codex, "gpt-x", &args);
        let new = invocation(ProgramKind::Codex, &config, &assignment("- do it"));
        assert_eq!(
            new.args.join(" "),
            "exec --json --skip-git-repo-check -s workspace-write -m gpt-x -c a=1 -"
        );
        assert_eq!((new.stdin.as_deref(), new.session), (Some("- do it"), None));
        let goes_on = Assignment {
            resume: Some("old".to_owned()),
            ..assignment("go on")
        };
        let resumed = invocation(ProgramKind::Codex, &config, &goes_on);
        assert!(resumed.args.join(" ").ends_with("-c a=1 resume old -"));
        assert_eq!(resumed.session.as_deref(), Some("old"));
    }
}
