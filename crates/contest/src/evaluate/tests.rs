mod command;
mod model;
mod plugin;
pub(crate) mod stage;
