//! The real bridge with an agent that behaves, and with agents that do not.

mod scene;
mod talk;
mod trouble;
