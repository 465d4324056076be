//! One command, one file.

pub mod agent;
mod agent_list;
pub mod config;
pub mod contest;
pub mod cost;
pub mod demo;
pub mod doctor;
pub mod engine;
pub mod events;
pub mod init;
pub mod log;
pub mod mcp;
pub mod new;
pub mod prompt;
pub mod replay;
pub mod review;
pub mod run;
pub mod serve;
pub mod status;
pub mod steer;
pub mod step;
pub mod texts;
pub mod worktree;
