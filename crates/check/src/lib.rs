//! The conformance kit: drives one agent program through everything that can happen to it, under a
//! real supervisor, and reports whether kumite understood what happened.
//!
//! *Live* scenarios run the program itself. Its model is the fake one (`kumite-fake-model`), which
//! follows a script, or the person's own. *Played* scenarios run a stand-in that prints a
//! recording of the program with one change. A `command` agent has no model that could be
//! replaced: offline, a generated script takes its place.
//!
//! Each scenario has its own stage (`stage.rs`): a project and a home that nothing else uses.

mod agent;
mod halt;
mod list;
mod living;
mod obedient;
mod offline;
mod probe;
mod program;
mod programs;
mod ran;
mod recording;
mod report;
mod run;
mod scenarios;
mod stage;
mod verdict;

pub use agent::{Agent, Kind};
pub use halt::Halt;
pub use list::{Listed, list};
pub use probe::{Login, Probe, probe};
pub use program::{CheckRequest, PROGRAM, VARIABLE, main};
pub use report::{Report, Row};
pub use run::{Choice, Setup, check};
pub use scenarios::names;
pub use verdict::Verdict;
