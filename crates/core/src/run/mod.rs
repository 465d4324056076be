//! The run of a spec: its states and every rule that moves it.
//!
//! - [`decide`](decide()) finds the rule for each event;
//! - `start` finds where a run begins and what follows a finished phase;
//! - `asked` handles requests to run;
//! - `after` judges what an agent left;
//! - `review`, `guard` and `inspection` are the three loops with a referee;
//! - `limit` waits while an agent program may not work.

mod after;
mod asked;
mod debt;
mod decide;
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
mod turn;
mod words;

#[cfg(test)]
mod tests;

pub use debt::Debt;
pub use decide::decide;
pub use limit::{OVERLOADS_MAX, jitter, until as limit_until};
pub use memory::{Deploy, Memory, Question, Remark};
pub use requests::{
    Refusal, may_approve, may_approve_deploy, may_reject, may_reset, may_review, may_start,
};
pub use spec_state::{Ending, Need, Reason, Rest, SpecState, StateName};
pub use start::first_unfinished;
pub use state::{Failure, Finish, Halt, Halted, Parked, Pause, Resume, Run, State, Wait, Work};
pub use step::{Attempt, Round, Step};
pub use words::{limit_sentence, phase_of, run_ended};
