mod command;
mod model;
mod plugin;
