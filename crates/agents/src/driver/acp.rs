//! Any ACP agent, by its command. kumite's own bridge (`kumite __acp`) speaks the protocol with it.

use super::{Invocation, Order};
use crate::request::Protocol;

pub fn invocation(bridge: String, command: &[String], order: &Order) -> Invocation {
    let mut args = vec!["__acp".to_owned()];
    if let Some(session) = &order.resume {
        args.extend(["--resume".to_owned(), session.clone()]);
    }
    args.push("--".to_owned());
    args.extend(command.iter().cloned());
    Invocation {
        program: bridge,
        args,
        env: Vec::new(),
        stdin: Some(order.prompt.clone()),
        protocol: Protocol::Kumite,
        session: order.resume.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    #[test]
    fn the_bridge_gets_the_command_and_the_session() {
        let command = ["my-agent".to_owned(), "--acp".to_owned()];
        let resumed = Order {
            resume: Some("old".to_owned()),
            ..order("go on")
        };
        let args = |order: &Order| {
            let invocation = invocation("/bin/kumite".to_owned(), &command, order);
            invocation.args.join(" ")
        };
        assert_eq!(args(&order("do it")), "__acp -- my-agent --acp");
        assert_eq!(args(&resumed), "__acp --resume old -- my-agent --acp");
    }
}
