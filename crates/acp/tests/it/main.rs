//! The real bridge against an agent that behaves, and one that does not.

mod scene;
mod talk;
mod trouble;
