//! What other people's text becomes on a page.

pub mod chart;
mod diff;
mod markdown;
pub mod marks;
pub mod words;

pub use diff::diff;
pub use markdown::markdown;
