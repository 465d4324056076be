//! Codex, `exec --json`.

use kumite_core::program::ProgramKind;

use crate::driver::{Invocation, Order, ProgramConfig, words};
use crate::request::Protocol;

/// Always passed: a resumed session would silently fall back to read-only.
const SANDBOX: &str = "workspace-write";

pub fn invocation(config: &ProgramConfig, order: &Order) -> Invocation {
    // A spec's worktree may not look like a repository.
    let mut args = Vec::from(words(["exec", "--json", "--skip-git-repo-check"]));
    args.extend(words(["-s", config.mode(SANDBOX)]));
    if !config.model.is_empty() {
        args.extend(words(["-m", &config.model]));
    }
    args.extend(config.args.iter().cloned());
    // Options come before the subcommand, which knows few of them.
    if let Some(session) = &order.resume {
        args.extend(words(["resume", session]));
    }
    // The prompt comes through stdin: as an argument it could look like an option.
    args.extend(words(["-"]));
    Invocation {
        program: config.program.clone(),
        args,
        env: Vec::new(),
        stdin: Some(order.prompt.clone()),
        protocol: Protocol::Program(ProgramKind::Codex),
        session: order.resume.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::order;

    #[test]
    fn options_come_before_resume_and_the_prompt_by_stdin() {
        let config = ProgramConfig {
            model: "gpt-x".to_owned(),
            args: vec!["-c".to_owned(), "a=1".to_owned()],
            ..ProgramConfig::new("codex")
        };
        let new = invocation(&config, &order("- do it"));
        assert_eq!(
            new.args.join(" "),
            "exec --json --skip-git-repo-check -s workspace-write -m gpt-x -c a=1 -"
        );
        assert_eq!((new.stdin.as_deref(), new.session), (Some("- do it"), None));
        let goes_on = Order {
            resume: Some("old".to_owned()),
            ..order("go on")
        };
        let resumed = invocation(&config, &goes_on);
        assert!(resumed.args.join(" ").ends_with("-c a=1 resume old -"));
        assert_eq!(resumed.session.as_deref(), Some("old"));
    }
}
