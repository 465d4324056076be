//! JSON that keeps its writer's formatting: read in place, changed by splicing.
//!
//! A file that people and agents edit is never parsed into maps and printed again. The text is
//! checked once; after that a [`Value`] is a view of it, and [`Editor`] replaces or inserts
//! single members in the style of the text around them.

mod check;
mod edit;
mod layout;
mod new;
mod value;

pub(crate) use check::{Fault, check};
pub(crate) use edit::{Editor, Step};
pub(crate) use new::New;
pub(crate) use value::Value;

/// JSON's white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
