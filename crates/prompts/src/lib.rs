//! What kumite asks of an agent: its own command texts and document templates.
//!
//! The texts are in `texts/`, the templates in `templates/`; both are embedded. If a project has
//! the command files, agents get the slash command (`slash`), or the text of the file (`expanded`)
//! if they know no slash commands. Without such files every agent gets our own text (`whole`).
//! `install` puts the command files and templates into a project, but never over a person's edits.

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

/// The whole prompt for agents that do not know slash commands: the text with the arguments
/// inserted.
pub fn whole(command: Command, arguments: &str) -> String {
    command.text().replace(command::ARGUMENTS, arguments.trim())
}
