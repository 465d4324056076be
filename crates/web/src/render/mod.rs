//! What other people's text becomes on a page.

pub mod chart;
mod markdown;
pub mod words;

pub use markdown::markdown;
