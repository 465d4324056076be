//! Claude Code, headless.

use super::{Invocation, Order};
use crate::request::Protocol;

/// The kernel takes 128 KiB for one argument; longer prompts go through stdin.
const ARGUMENT_MAX: usize = 100 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeConfig {
    pub program: String,
    /// The person's own arguments.
    pub args: Vec<String>,
    /// Empty: Claude's own default.
    pub model: String,
    /// Always given: its default differs between plans.
    pub permission_mode: String,
}

impl Default for ClaudeConfig {
    fn default() -> ClaudeConfig {
        ClaudeConfig {
            program: "claude".to_owned(),
            args: Vec::new(),
            model: String::new(),
            permission_mode: "acceptEdits".to_owned(),
        }
    }
}

impl ClaudeConfig {
    pub fn invocation(&self, order: &Order) -> Invocation {
        // stream-json needs --verbose, or claude refuses.
        let mut args = Vec::from(words(["-p", "--output-format", "stream-json", "--verbose"]));
        match &order.resume {
            Some(session) => args.extend(words(["--resume", session])),
            None => args.extend(words(["--session-id", &order.session])),
        }
        args.extend(words(["--permission-mode", &self.permission_mode]));
        if !self.model.is_empty() {
            args.extend(words(["--model", &self.model]));
        }
        // Nobody is there to answer. With "=", as the option would else take what follows as well.
        args.extend(words(["--disallowedTools=AskUserQuestion"]));
        args.extend(self.args.iter().cloned());
        let stdin = if fits_argument(&order.prompt) {
            // Behind "--" a prompt may begin as it likes.
            args.extend(words(["--", &order.prompt]));
            None
        } else {
            Some(order.prompt.clone())
        };
        let session = Some(order.session().to_owned());
        Invocation {
            program: self.program.clone(),
            args,
            env: Vec::new(),
            stdin,
            protocol: Protocol::Claude,
            session,
        }
    }
}

fn fits_argument(prompt: &str) -> bool {
    prompt.len() <= ARGUMENT_MAX && !prompt.contains('\0')
}

fn words<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    #[test]
    fn a_new_session_gets_the_id_that_was_chosen() {
        let config = ClaudeConfig {
            model: "opus".to_owned(),
            args: vec!["--effort".to_owned(), "high".to_owned()],
            ..ClaudeConfig::default()
        };
        let invocation = config.invocation(&order("- do it"));
        assert_eq!(
            invocation.args.join(" "),
            "-p --output-format stream-json --verbose --session-id new-uuid --permission-mode acceptEdits \
             --model opus --disallowedTools=AskUserQuestion --effort high -- - do it"
        );
        assert_eq!(
            (invocation.session.as_deref(), invocation.stdin),
            (Some("new-uuid"), None)
        );
    }

    #[test]
    fn a_session_is_resumed_under_its_own_id() {
        let invocation = ClaudeConfig::default().invocation(&Order {
            resume: Some("old".to_owned()),
            ..order("go on")
        });
        let args = invocation.args.join(" ");
        assert!(
            args.contains("--resume old") && !args.contains("--session-id"),
            "{args}"
        );
        assert_eq!(invocation.session.as_deref(), Some("old"));
    }

    #[test]
    fn a_prompt_that_no_argument_can_hold_goes_through_stdin() {
        for prompt in ["x".repeat(ARGUMENT_MAX + 1), "nul\0".to_owned()] {
            let invocation = ClaudeConfig::default().invocation(&order(&prompt));
            assert_eq!(invocation.stdin, Some(prompt));
            assert!(!invocation.args.contains(&"--".to_owned()));
        }
    }
}
