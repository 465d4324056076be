//! OpenCode, `run --format json`.

use crate::driver::{Assignment, words};
use crate::programs::Config;

pub fn args(config: &Config<'_>, assignment: &Assignment) -> Vec<String> {
    // When OpenCode waits for a usage limit, only its log says so.
    let mut args = Vec::from(words(["run", "--format", "json"]));
    args.extend(words(["--print-logs", "--log-level", "ERROR"]));
    // In any other mode every permission request is refused.
    if config.mode == "auto" {
        args.extend(words(["--auto"]));
    }
    if let Some(session) = &assignment.resume {
        args.extend(words(["--session", session]));
    }
    if !config.model.is_empty() {
        args.extend(words(["--model", config.model]));
    }
    args.extend(config.args.iter().cloned());
    args
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;
    use crate::driver::assignment;

    #[test]
    fn a_session_is_resumed_and_only_auto_mode_grants_permissions() {
        let config = Config::new(ProgramKind::Opencode, "anthropic/x", &[]);
        let args =
            |config: &Config<'_>, assignment: &Assignment| args(config, assignment).join(" ");
        let common = "run --format json --print-logs --log-level ERROR";
        let new = args(&config, &assignment("do it"));
        assert_eq!(new, format!("{common} --auto --model anthropic/x"));
        let goes_on = Assignment {
            resume: Some("ses_1".to_owned()),
            ..assignment("go on")
        };
        let careful = Config {
            mode: "default",
            ..config.clone()
        };
        let resumed = args(&careful, &goes_on);
        assert_eq!(
            resumed,
            format!("{common} --session ses_1 --model anthropic/x")
        );
    }
}
