//! Gemini CLI.

mod dialect;
mod invocation;

pub use dialect::Gemini;
pub use invocation::args;
