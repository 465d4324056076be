//! OpenCode, `run --format json`.

use kumite_core::program::ProgramKind;

use crate::driver::{Invocation, Order, ProgramConfig, words};
use crate::request::Protocol;

/// In any other mode every permission request is refused.
const AUTO: &str = "auto";

pub fn invocation(config: &ProgramConfig, order: &Order) -> Invocation {
    // Only its log reports a limit that it waits for.
    let mut args = Vec::from(words(["run", "--format", "json"]));
    args.extend(words(["--print-logs", "--log-level", "ERROR"]));
    if config.mode(AUTO) == AUTO {
        args.extend(words(["--auto"]));
    }
    if let Some(session) = &order.resume {
        args.extend(words(["--session", session]));
    }
    if !config.model.is_empty() {
        args.extend(words(["--model", &config.model]));
    }
    args.extend(config.args.iter().cloned());
    Invocation {
        program: config.program.clone(),
        args,
        env: Vec::new(),
        // As an argument it would reach the model in quotes.
        stdin: Some(order.prompt.clone()),
        protocol: Protocol::Program(ProgramKind::Opencode),
        session: order.resume.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::order;

    #[test]
    fn a_session_is_resumed_and_permissions_are_granted_if_they_should() {
        let config = ProgramConfig {
            model: "anthropic/x".to_owned(),
            ..ProgramConfig::new("opencode")
        };
        let args = |config: &ProgramConfig, order: &Order| invocation(config, order).args.join(" ");
        let common = "run --format json --print-logs --log-level ERROR";
        let new = args(&config, &order("do it"));
        assert_eq!(new, format!("{common} --auto --model anthropic/x"));
        let goes_on = Order {
            resume: Some("ses_1".to_owned()),
            ..order("go on")
        };
        let careful = ProgramConfig {
            permission_mode: "default".to_owned(),
            ..config
        };
        let resumed = args(&careful, &goes_on);
        assert_eq!(
            resumed,
            format!("{common} --session ses_1 --model anthropic/x")
        );
    }
}
