//! The place of a spec: a git worktree of its own, from impl on. It is made, looked at and removed
//! here; the rules in the core decide when.
//!
//! `runs/<spec>/place.json` is kumite's own record of it. The person's index, HEAD, stash, branches
//! and reflogs are never touched.

mod carry;
mod content;
mod copies;
mod diff;
mod find;
mod history;
mod list;
mod make;
mod prepare;
mod quota;
mod record;
mod remove;
mod setup;
mod stray;
mod suit;
mod work;

pub use content::{content, keep, look};
pub use copies::env;
pub use diff::{Changes, diff};
pub use history::{checkpoint, checkpoints, forget_checkpoints, restore};
pub use list::{Row, list};
pub use prepare::{Wanted, prepare, prepare_step};
pub use quota::shown as size;
pub use record::{Known, Record};
pub use remove::{Refusal, remove};
pub use stray::{Stray, strays};
pub use suit::begin;
