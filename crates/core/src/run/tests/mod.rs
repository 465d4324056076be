//! The rules as rows: a state, an event, and the state that follows.

mod budget;
mod build;
mod deploy;
mod failures;
mod files;
mod guard;
mod inspection;
mod interrupted;
mod limits;
mod newer;
mod pairs;
mod proof;
mod purity;
mod question;
mod requests;
mod review;
mod saving;
mod start;
mod trust;
mod walk;
mod walks;
mod words;
