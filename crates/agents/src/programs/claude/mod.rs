//! Claude Code.

mod dialect;
mod invocation;
mod said;

pub use dialect::Claude;
pub use invocation::args;
