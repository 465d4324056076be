//! The run of a spec: its states and every rule that moves it.
//!
//! - [`decide`](decide()) takes each event to its rule;
//! - `start` finds where a run begins and what follows a finished phase;
//! - `after` judges what an agent left behind;
//! - `review`, `guard` and `inspection` are the three loops with a referee.

mod after;
mod decide;
mod guard;
mod inspection;
mod requests;
mod review;
mod start;
mod state;
mod step;
mod turn;
mod words;

#[cfg(test)]
mod tests;

pub use decide::decide;
pub use requests::{Refusal, may_approve, may_reject, may_reset, may_review, may_start};
pub use start::first_unfinished;
pub use state::{Failure, Finish, Halt, Halted, Pause, Resume, Run, State, Work};
pub use step::{Attempt, Round, Step};
pub use words::{phase_of, reason, run_ended};
