//! The conformance kit: drives one agent program through everything that can happen to it, under a
//! real supervisor, and says whether kumite understood what happened.
//!
//! *Live* scenarios run the program itself. Its model is the fake one (`kumite-fake-model`), which
//! does as it is told, or the person's own. *Played* scenarios run a stand-in that prints a
//! recording of the program, changed by one thing. A `command` agent has no model that could be
//! replaced: offline, a generated script obeys in its place.
//!
//! Each scenario has a stage of its own (`stage.rs`): a project and a home that nobody else knows.

mod agent;
mod halt;
mod list;
mod living;
mod obedient;
mod offline;
mod probe;
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
pub use report::{Report, Row};
pub use run::{Choice, Kit, check};
pub use scenarios::names;
pub use verdict::Verdict;
