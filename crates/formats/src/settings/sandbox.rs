//! `[sandbox]`: what an agent may reach on this machine.

kumite_core::words! {
    /// What keeps an agent inside.
    #[derive(Default)]
    pub enum SandboxMode: name {
        /// Nothing but the agent's own permissions.
        #[default]
        Off = "off",
        /// The program's own sandbox.
        Agent = "agent",
        /// Bubblewrap around the program.
        Bwrap = "bwrap",
    }
}

kumite_core::words! {
    /// What a sandbox lets through to other machines.
    #[derive(Default)]
    pub enum Network: name {
        #[default]
        Open = "open",
        None = "none",
    }
}

/// Paths may begin with `~/`, and relative ones are relative to the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    /// Further places that an agent may write to.
    pub write: Vec<String>,
    /// Places that it may not even read.
    pub deny_read: Vec<String>,
    pub network: Network,
}

impl Default for SandboxSettings {
    fn default() -> SandboxSettings {
        let secrets = ["~/.ssh", "~/.aws", "~/.gnupg", "~/.config/gh"];
        SandboxSettings {
            mode: SandboxMode::Off,
            write: Vec::new(),
            deny_read: secrets.map(str::to_owned).into(),
            network: Network::Open,
        }
    }
}
