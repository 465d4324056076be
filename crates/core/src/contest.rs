//! The rules of a contest: several teams, one task, rounds, scores, and a winner.
//!
//! [`decide`] turns a [`Contest`] and an [`Entry`] into a new contest and [`Effect`]s, just as for
//! a run. Teams are independent: an event of one team never changes what another team does, except
//! that a team may wait for a place.

mod agents;
pub mod board;
mod clock;
mod decide;
mod effect;
mod event;
mod exit;
pub mod judge;
mod leave;
mod measure;
mod notice;
mod retry;
pub mod rows;
mod rules;
mod score;
mod state;
mod submission;
mod team;

pub use agents::{AgentEnd, Agents, Next, Noted};
pub use decide::decide;
pub use effect::Effect;
pub use event::{
    By, Entrant, Entry, Event, Failed, Failure, Judgment, Measure, Submission, Used, VERSION,
};
pub use exit::{Exit, Fate, Reason};
pub use notice::{End, Notice, Part, What};
pub use retry::{Retry, after_failure, pause_ms};
pub use rules::{Metric, ROUNDS_LIMIT, Rules};
pub use score::{Confidence, Score};
pub use state::{
    Bound, Contest, Ending, Limit, Measuring, Phase, Round, Stage, Team, Then, Verdict,
};
pub use submission::SUBMISSION_MAX;

#[cfg(test)]
mod tests;
