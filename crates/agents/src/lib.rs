//! The drivers: start an agent program, read its output, end it reliably.
//!
//! **An agent outlives a crash of kumite, never a stop.** Each one runs under its own small
//! supervisor
//! process, which is this same binary called as `kumite __supervise <dir>`. The two communicate
//! only
//! through the directory, and a later kumite finds the agent by it:
//!
//! | file           | written by  | means |
//! |----------------|-------------|-------|
//! | `request.json` | [`launch()`]  | what to start |
//! | `lock`         | supervisor  | held (flock) as long as the supervisor lives |
//! | `claim`        | supervisor  | an agent was, or is about to be, started: never start another one here; its cgroup |
//! | `record.json`  | supervisor  | the agent's process, once it lives |
//! | `end.json`     | supervisor  | how it ended; for good |
//!
//! Start reading at [`launch()`], then `supervisor/mod.rs`, then `supervisor/verdict.rs`.

mod adopt;
mod clean;
mod conclude;
mod contain;
mod driver;
mod files;
mod final_text;
mod handle;
mod launch;
mod logs;
mod mask;
mod owner;
mod process;
mod program;
mod programs;
mod protocol;
mod request;
mod said;
mod supervisor;
mod supervisor_socket;
mod sweep;
mod sys;
mod trail;
mod transcript;
mod tree;

pub use adopt::{Adopted, adopt, agent_of};
pub use clean::{clean, clean_line};
pub use conclude::conclude;
pub use contain::{Left, Means, Remains, inherit_orphans, means, start_child};
pub use driver::{Assignment, Invocation, invocation};
pub use files::Error;
pub use final_text::final_text;
pub use handle::Handle;
pub use launch::{Launcher, launch};
pub use logs::{AgentLogs, agent_logs, prune, rotated};
pub use owner::Owner;
pub use process::Identity;
pub use program::{Output, Program, Unfinished, end_programs, find_program, inherited, run_to_end};
pub use request::{End, Protocol, Record, Request};
pub use said::{Said, TranscriptLine};
pub use supervisor::{supervise, supervise_ahead};
pub use sweep::{Marked, find_marked};
pub use sys::survive_file_size_limit;
pub use trail::Trail;
