//! The world: files, processes, time and people around the rules of `kumite-core`.
//!
//! [`engine::Engine`] is the loop of a project. Every event comes in through its inbox, is written
//! to the [`journal`] of its run, decided by the core, and carried out by [`perform`].

pub mod announce;
pub mod attend;
pub mod beside;
pub mod books;
pub mod clock;
pub mod context;
pub mod control;
pub mod cost;
pub mod crash;
pub mod decisions;
pub mod doctor;
pub mod documents;
pub mod engine;
pub mod events_log;
pub mod evidence;
pub mod files;
pub mod fnv;
mod held;
pub mod history;
pub mod job;
pub mod journal;
pub mod launch;
pub mod limits;
pub mod lock;
pub mod new_spec;
pub mod news;
pub mod notify;
pub mod orders;
pub mod perform;
pub mod project;
pub mod purse;
pub mod queue;
pub mod requests;
pub mod settings;
pub mod snapshot;
pub mod spec_file;
pub mod status;
pub mod usage_log;
pub mod user;
pub mod wording;
pub mod worked;
