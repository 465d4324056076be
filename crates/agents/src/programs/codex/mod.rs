//! Codex.

mod dialect;
mod invocation;

pub use dialect::Codex;
pub use invocation::args;
