//! The contest's world: its effects, teams, evaluator, judge and prompts.

pub mod announce;
pub mod apply;
mod asked;
pub mod board;
pub mod check;
pub mod demo;
pub mod evaluate;
pub mod files;
pub mod home;
pub mod judge;
pub mod judge_check;
pub mod listing;
pub mod parts;
mod perform;
pub mod place;
pub mod playable;
pub mod prepare;
mod program;
pub mod project;
pub mod prompts;
pub mod report;
mod rules;
pub mod summary;
pub mod teams;
mod usage;
pub mod view;
pub mod work;
pub mod worktree;
mod world;

pub use kumite_models::Cancel;
pub use world::{ContestWorld, Error, Message, Tell};
