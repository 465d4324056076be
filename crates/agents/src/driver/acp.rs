//! Any ACP agent, by its command. kumite's own bridge (`kumite __acp`) speaks the protocol with it.

use super::{Invocation, Order};
use crate::request::Protocol;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcpConfig {
    /// kumite's own binary.
    pub bridge: String,
    /// The agent's program and arguments.
    pub command: Vec<String>,
}

impl AcpConfig {
    pub fn invocation(&self, order: &Order) -> Invocation {
        let mut args = vec!["__acp".to_owned()];
        if let Some(session) = &order.resume {
            args.extend(["--resume".to_owned(), session.clone()]);
        }
        args.push("--".to_owned());
        args.extend(self.command.iter().cloned());
        Invocation {
            program: self.bridge.clone(),
            args,
            env: Vec::new(),
            stdin: Some(order.prompt.clone()),
            protocol: Protocol::Kumite,
            session: order.resume.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    #[test]
    fn the_bridge_gets_the_command_and_the_session() {
        let config = AcpConfig {
            bridge: "/bin/kumite".to_owned(),
            command: vec!["my-agent".to_owned(), "--acp".to_owned()],
        };
        let resumed = Order {
            resume: Some("old".to_owned()),
            ..order("go on")
        };
        let args = |order: &Order| config.invocation(order).args.join(" ");
        assert_eq!(args(&order("do it")), "__acp -- my-agent --acp");
        assert_eq!(args(&resumed), "__acp --resume old -- my-agent --acp");
    }
}
