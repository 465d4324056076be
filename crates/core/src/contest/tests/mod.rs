//! The rules of a contest as rows: what happened, what is done, and the state of the teams.

mod agents;
mod board;
mod build;
mod cancel;
mod failures;
mod journal;
mod judge;
mod late;
mod money;
mod notices;
mod places;
mod resume;
mod rounds;
mod saving;
mod scores;
mod time;
mod whatever;
mod words;
