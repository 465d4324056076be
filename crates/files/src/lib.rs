//! Writes files: whole or not at all, and readable only by the right people.

pub mod crash;
mod lines;
mod open;
mod private;
mod replace;

pub use lines::{Lines, whole_lines};
pub use open::{Access, is_locked, open_append, open_locked, open_plain};
pub use private::{make_private_dir, private_mode};
pub use replace::{Durable, create, replace, sync_dir_of};
