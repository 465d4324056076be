//! Turns text from outside into HTML.

pub mod chart;
mod diff;
pub mod later;
mod markdown;
pub mod marks;
mod table;
pub mod words;

pub use diff::diff;
pub use markdown::markdown;
pub use table::{Column, table};
