//! Containment: everything that an agent starts ends with it.
//!
//! This is the place to support other systems. Everything that knows how processes are kept
//! together is in here, in `supervisor/ending.rs` and in `sys.rs`; other code uses it by these
//! names. On Linux:
//!
//! | means | ends | as long as |
//! |---|---|---|
//! | the supervisor is the child subreaper | all descendants, also after `setsid` and double forks | the supervisor lives |
//! | the agent's parent-death signal | the agent itself | the agent keeps it |
//! | a cgroup v2 per agent ([`Cgroup`]) | all processes born in it, with or without supervisor | cgroups can be created |
//! | the engine is a child subreaper too ([`inherit_orphans`]) | the orphans of a killed supervisor | the engine lives and started it |
//! | the same for programs without a supervisor ([`crate::run_to_end`]) | all processes that they leave | kumite lives |
//! | the mark in the environment ([`Remains`]) | processes that kept their environment | always |
//!
//! **Windows** is not supported yet. It needs a job object per agent, in place of the cgroup:
//!
//! - created by the supervisor with a name that contains the agent's id, and recorded in the claim;
//! - `JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`, and neither breakaway flag: if the supervisor is killed,
//!   the job ends the whole agent;
//! - the agent is created suspended, put into the job, and only then resumed;
//! - ask: `CTRL_BREAK_EVENT` to the agent's process group; end: `TerminateJobObject`;
//! - no process is left: `JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO` on the job's completion port;
//! - a process is its handle, and by name its id and creation time, as in [`crate::Identity`].
//!
//! **macOS** is not supported yet either: it has no subreaper, no cgroups and no pidfd, so a
//! process that
//! calls `setsid` and clears its environment cannot be found again.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "kumite contains agents on Linux only so far; see docs/decisions/0008-containment.md"
);

mod cgroup;
mod means;
mod orphans;
mod remains;

pub use cgroup::{Cgroup, home};
pub use means::{Means, means};
pub use orphans::{Running, inherit_orphans, start_child};
pub use remains::{Left, Remains, with_descendants};
