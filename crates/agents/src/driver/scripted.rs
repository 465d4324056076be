//! kumite's own agent, which follows a script: for demos and tests, without any model.

use std::path::PathBuf;

use kumite_core::program::ProgramKind;

use super::{Invocation, Order};
use crate::request::Protocol;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedConfig {
    /// kumite's own binary.
    pub program: String,
    pub script: Option<PathBuf>,
}

impl ScriptedConfig {
    pub fn invocation(&self, order: &Order) -> Invocation {
        let script = self
            .script
            .iter()
            .map(|path| ("KUMITE_SCRIPT".to_owned(), path.display().to_string()));
        Invocation {
            program: self.program.clone(),
            args: vec!["__scripted".to_owned()],
            env: script.collect(),
            stdin: Some(order.prompt.clone()),
            protocol: Protocol::Program(ProgramKind::Claude),
            session: Some(order.session().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Driver, order};
    use super::*;

    #[test]
    fn the_script_is_named_in_the_environment() {
        let config = ScriptedConfig {
            program: "/bin/kumite".to_owned(),
            script: Some("/s.toml".into()),
        };
        let invocation = Driver::Scripted(config).invocation(&order("hello"));
        assert_eq!(invocation.args, ["__scripted"]);
        assert_eq!(
            invocation.env,
            [("KUMITE_SCRIPT".to_owned(), "/s.toml".to_owned())]
        );
    }
}
