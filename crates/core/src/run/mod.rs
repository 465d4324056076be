//! The run of a spec: its states and every rule that moves it.
//!
//! - [`decide`](decide()) finds the rule for each event;
//! - `start` finds where a run begins and what follows a finished phase;
//! - `asked` handles requests to run;
//! - `after` judges what an agent left;
//! - `review`, `guard` and `inspection` are the three loops with a referee;
//! - `errand` judges what kumite does itself: it makes the place and runs the project's commands;
//! - `trust` is what a run knows about its place and the evidence for its work;
//! - `limit` waits while an agent program may not work.

mod after;
mod asked;
mod baseline;
mod debt;
mod decide;
mod errand;
mod guard;
mod inspection;
mod limit;
mod memory;
mod requests;
mod review;
mod spec_state;
mod start;
mod state;
mod step;
mod trust;
mod turn;
mod undo;
mod words;

#[cfg(test)]
mod tests;

pub use debt::Debt;
pub use decide::decide;
pub use limit::{OVERLOADS_MAX, jitter, until as limit_until};
pub use memory::{Deploy, Memory, Question, Remark};
pub use requests::{
    Refusal, may_approve, may_approve_deploy, may_approve_impl, may_reject, may_reset, may_review,
    may_start, may_undo,
};
pub use spec_state::{Ending, Need, Reason, Rest, SpecState, StateName};
pub use start::first_unfinished;
pub use state::{Failure, Finish, Halt, Halted, Parked, Pause, Resume, Run, State, Wait, Work};
pub use step::{Attempt, Gate, Round, Step, Verify};
pub use trust::{Accepts, Because, Checking, Evidence, Kept, Site, Trust, vanished};
pub use words::{limit_sentence, phase_of, run_ended};
