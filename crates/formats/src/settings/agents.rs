//! `[agents.<name>]`: the programs that do the work.

use std::collections::BTreeMap;

use kumite_core::agent_kind::AgentKind;
use kumite_core::secret::shown_args;

use super::value::{quoted, quoted_list};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    pub kind: AgentKind,
    /// Added to the environment of the program.
    pub env: BTreeMap<String, String>,
    /// If not empty, the only variables of kumite's own environment that reach the program, beside
    /// those that every agent needs.
    pub env_allow: Vec<String>,
}

impl AgentSettings {
    /// Each key with its value as TOML. Values of `env` are left out, and so are arguments that
    /// look secret.
    pub(super) fn show(&self) -> Vec<(&'static str, String)> {
        let mut shown = vec![("kind", quoted(self.kind.name()))];
        match &self.kind {
            AgentKind::Program {
                program,
                args,
                model,
                permission_mode,
                ..
            } => shown.extend([
                ("program", quoted(program)),
                ("args", quoted_list(&shown_args(args))),
                ("model", quoted(model)),
                ("permission_mode", quoted(permission_mode)),
            ]),
            AgentKind::Acp { command } => {
                shown.push(("command", quoted_list(&shown_args(command))));
            }
            AgentKind::Command { command, prompt } => {
                shown.push(("command", quoted_list(&shown_args(command))));
                shown.push(("prompt", quoted(prompt.name())));
            }
            AgentKind::Scripted { script } => {
                let path = script.as_deref().unwrap_or_else(|| "".as_ref());
                shown.push(("script", quoted(&path.to_string_lossy())));
            }
        }
        let hidden = self
            .env
            .keys()
            .map(|name| format!("{} = \"…\"", quoted(name)));
        let hidden = hidden.collect::<Vec<_>>().join(", ");
        shown.push((
            "env",
            if hidden.is_empty() {
                "{}".into()
            } else {
                format!("{{ {hidden} }}")
            },
        ));
        shown.push(("env_allow", quoted_list(&self.env_allow)));
        shown
    }
}
