//! The files: spec.json, tasks.md, review replies, inspection reports, verification commands and
//! settings.
//!
//! Text in, types out, and back. Nothing here touches a disk. Each reader takes bytes, never
//! panics, takes time in proportion to its input, and reports where bad input is wrong and how to
//! fix it.

pub mod contest;
pub mod inspection_report;
mod json;
mod markdown;
pub mod patch;
mod place;
pub mod review_reply;
pub mod settings;
pub mod spec_json;
pub mod spec_name;
pub mod tasks_md;
mod tree;
pub mod verification_commands;

pub use place::TextPosition;
pub use settings::Settings;
pub use spec_json::SpecJson;
pub use spec_name::SpecName;
