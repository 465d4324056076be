//! The rules as rows: a state, an event, and the state that follows.

mod budget;
mod build;
mod checks;
mod deploy;
mod failures;
mod files;
mod gates;
mod guard;
mod inspection;
mod interrupted;
mod limits;
mod newer;
mod pairs;
mod place;
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
