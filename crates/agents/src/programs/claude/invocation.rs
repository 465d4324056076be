//! Claude Code, headless.

use crate::driver::{Assignment, words};
use crate::programs::Config;

pub fn args(config: &Config<'_>, assignment: &Assignment) -> Vec<String> {
    // stream-json needs --verbose, or claude refuses.
    let mut args = Vec::from(words(["-p", "--output-format", "stream-json", "--verbose"]));
    match &assignment.resume {
        Some(session) => args.extend(words(["--resume", session])),
        None => args.extend(words(["--session-id", &assignment.session])),
    }
    // The program's own default differs between plans.
    args.extend(words(["--permission-mode", config.mode]));
    if !config.model.is_empty() {
        args.extend(words(["--model", config.model]));
    }
    if let Some(cap) = assignment.cap_usd_micros {
        args.extend(words(["--max-budget-usd", &dollars(cap)]));
    }
    // Nobody is there to answer. The "=" keeps the option from taking the following words too.
    args.extend(words(["--disallowedTools=AskUserQuestion"]));
    args.extend(config.args.iter().cloned());
    args
}

/// At least a millionth: the program does not accept 0 as a price.
fn dollars(micros: u64) -> String {
    let micros = micros.max(1);
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;
    use crate::driver::{Invocation, assignment};
    use crate::programs;

    fn started(model: &str, args: &[&str], assignment: &Assignment) -> Invocation {
        let args: Vec<String> = args.iter().map(|&word| word.to_owned()).collect();
        let config = Config::new(ProgramKind::Claude, model, &args);
        programs::invocation(ProgramKind::Claude, &config, assignment)
    }

    #[test]
    fn m5_a_new_session_gets_the_id_that_was_chosen_and_its_prompt_by_stdin() {
        let invocation = started("opus", &["--effort", "high"], &assignment("- do it"));
        assert_eq!(
            invocation.args.join(" "),
            "-p --output-format stream-json --verbose --session-id new-uuid --permission-mode acceptEdits \
             --model opus --disallowedTools=AskUserQuestion --effort high"
        );
        assert_eq!(
            (invocation.session.as_deref(), invocation.stdin.as_deref()),
            (Some("new-uuid"), Some("- do it"))
        );
    }

    #[test]
    fn a_session_is_resumed_under_its_own_id() {
        let goes_on = Assignment {
            resume: Some("old".to_owned()),
            ..assignment("go on")
        };
        let invocation = started("", &[], &goes_on);
        let args = invocation.args.join(" ");
        assert!(
            args.contains("--resume old") && !args.contains("--session-id"),
            "{args}"
        );
        assert_eq!(invocation.session.as_deref(), Some("old"));
    }

    #[test]
    fn t10_what_may_be_spent_is_told() {
        for (micros, dollars) in [(1_500_000, "1.500000"), (0, "0.000001")] {
            let capped = Assignment {
                cap_usd_micros: Some(micros),
                ..assignment("x")
            };
            let args = started("", &[], &capped).args.join(" ");
            assert!(
                args.contains(&format!("--max-budget-usd {dollars} ")),
                "{args}"
            );
        }
    }
}
