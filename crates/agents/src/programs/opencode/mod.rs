//! OpenCode.

mod dialect;
mod invocation;

pub use dialect::Opencode;
pub use invocation::args;
