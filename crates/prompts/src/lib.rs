//! What kumite asks of an agent: its own command texts and document templates.
//!
//! The texts are in `texts/`, the templates in `templates/`; both are embedded. A project that has
//! the command files gets the slash command (`slash`), or their text (`expanded`) for agents that
//! know no slash commands; without such files every agent gets our own text (`whole`).
//! `install` puts the command files and templates into a project, never over a person's edits.

mod command;
mod file;
pub mod install;
mod marker;
mod spec;

pub use command::Command;
pub use file::{command_file, expanded, is_installed};
pub use install::{Error, Installed, What, install};
pub use spec::{init_spec_json, requirements_stub};

/// The slash command line, e.g. `/kiro:document-review-reply login 2 --autofix`.
pub fn slash(command: Command, arguments: &str) -> String {
    format!("/kiro:{} {arguments}", command.name())
        .trim_end()
        .to_owned()
}

/// The whole prompt for agents that do not know the slash commands: the text with the arguments put in.
pub fn whole(command: Command, arguments: &str) -> String {
    command.text().replace(command::ARGUMENTS, arguments.trim())
}
