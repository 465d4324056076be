//! Any ACP agent, by its command. kumite's own bridge (`kumite __acp`) speaks the protocol with it.

use super::{Assignment, Invocation};
use crate::request::Protocol;

pub fn invocation(bridge: String, command: &[String], assignment: &Assignment) -> Invocation {
    let mut args = vec!["__acp".to_owned()];
    if let Some(session) = &assignment.resume {
        args.extend(["--resume".to_owned(), session.clone()]);
    }
    args.push("--".to_owned());
    args.extend(command.iter().cloned());
    Invocation {
        program: bridge,
        args,
        env: Vec::new(),
        stdin: Some(assignment.prompt.clone()),
        protocol: Protocol::Kumite,
        session: assignment.resume.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment;
    use super::*;

    #[test]
    fn the_bridge_gets_the_command_and_the_session() {
        let command = ["my-agent".to_owned(), "--acp".to_owned()];
        let resumed = Assignment {
            resume: Some("old".to_owned()),
            ..assignment("go on")
        };
        let args = |assignment: &Assignment| {
            let invocation = invocation("/bin/kumite".to_owned(), &command, assignment);
            invocation.args.join(" ")
        };
        assert_eq!(args(&assignment("do it")), "__acp -- my-agent --acp");
        assert_eq!(args(&resumed), "__acp --resume old -- my-agent --acp");
    }
}
