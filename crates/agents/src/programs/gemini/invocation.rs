//! Gemini CLI, headless.

use crate::driver::{Assignment, words};
use crate::programs::Config;

pub fn args(config: &Config<'_>, assignment: &Assignment) -> Vec<String> {
    // A person who runs kumite in a directory trusts that directory.
    let mut args = Vec::from(words(["-o", "stream-json", "--skip-trust"]));
    args.extend(words(["--approval-mode", config.mode]));
    match &assignment.resume {
        Some(session) => args.extend(words(["-r", session])),
        None => args.extend(words(["--session-id", &assignment.session])),
    }
    if !config.model.is_empty() {
        args.extend(words(["-m", config.model]));
    }
    args.extend(config.args.iter().cloned());
    args
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;
    use crate::driver::assignment;
    use crate::programs::invocation;

    #[test]
    fn a_new_session_is_named_and_an_old_one_resumed() {
        let config = Config::new(ProgramKind::Gemini, "flash", &[]);
        let new = invocation(ProgramKind::Gemini, &config, &assignment("- do it"));
        let args =
            "-o stream-json --skip-trust --approval-mode yolo --session-id new-uuid -m flash";
        assert_eq!(new.args.join(" "), args);
        assert_eq!(new.stdin.as_deref(), Some("- do it"));
        let goes_on = Assignment {
            resume: Some("old".to_owned()),
            ..assignment("go on")
        };
        let resumed = invocation(ProgramKind::Gemini, &config, &goes_on);
        assert!(resumed.args.join(" ").contains("-r old"));
        assert_eq!(resumed.session.as_deref(), Some("old"));
    }
}
