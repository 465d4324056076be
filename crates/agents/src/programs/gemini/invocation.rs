//! Gemini CLI, headless.

use kumite_core::program::ProgramKind;

use crate::driver::{Invocation, Order, ProgramConfig, words};
use crate::request::Protocol;

/// Any other mode would block tools: nobody is there to approve them.
const APPROVAL: &str = "yolo";

pub fn invocation(config: &ProgramConfig, order: &Order) -> Invocation {
    // A person who runs kumite in a directory trusts it.
    let mut args = Vec::from(words(["-o", "stream-json", "--skip-trust"]));
    args.extend(words(["--approval-mode", config.mode(APPROVAL)]));
    match &order.resume {
        Some(session) => args.extend(words(["-r", session])),
        None => args.extend(words(["--session-id", &order.session])),
    }
    if !config.model.is_empty() {
        args.extend(words(["-m", &config.model]));
    }
    args.extend(config.args.iter().cloned());
    Invocation {
        program: config.program.clone(),
        args,
        env: Vec::new(),
        // As an argument a prompt must not begin with "-".
        stdin: Some(order.prompt.clone()),
        protocol: Protocol::Program(ProgramKind::Gemini),
        session: Some(order.session().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::order;

    #[test]
    fn a_new_session_is_named_and_an_old_one_resumed() {
        let config = ProgramConfig {
            model: "flash".to_owned(),
            ..ProgramConfig::new("gemini")
        };
        let new = invocation(&config, &order("- do it"));
        let args =
            "-o stream-json --skip-trust --approval-mode yolo --session-id new-uuid -m flash";
        assert_eq!(new.args.join(" "), args);
        assert_eq!(new.stdin.as_deref(), Some("- do it"));
        let goes_on = Order {
            resume: Some("old".to_owned()),
            ..order("go on")
        };
        let resumed = invocation(&config, &goes_on);
        assert!(resumed.args.join(" ").contains("-r old"));
        assert_eq!(resumed.session.as_deref(), Some("old"));
    }
}
