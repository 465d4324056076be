//! Tests of the real binary: real files, real processes, a separate agent program that misbehaves
//! on demand (`crates/fake-agent`).

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod agents;
mod apart;
mod approvals;
mod bad_disk;
mod bad_input;
mod bad_journal;
mod bad_journal_stop;
mod bad_settings;
mod boundaries;
mod contained;
mod contest;
mod contest_agents;
mod contract;
mod corpus;
mod cost;
mod crash;
mod crash_ends;
mod ending;
mod ends;
mod evidence;
mod flags;
mod forty;
mod guard;
mod hints;
mod inspection;
mod interrupted;
mod leftovers;
mod limits;
mod log_of_developers;
mod many;
mod messages;
mod modes;
mod money;
mod narrow;
#[path = "../common/needs_root.rs"]
mod needs_root;
mod odd_places;
mod pkill;
mod places;
mod programs;
mod reading;
mod restart;
mod review_by_hand;
mod review_loop;
mod review_resume;
mod seen;
mod setup;
mod small;
mod smoke;
mod spec_files;
mod steering;
mod stops;
mod together;
mod transcripts;
mod trouble;
mod trusted;
mod two_users;
mod vanished;
mod walks;
mod watch;
mod webhook;
mod worktree;
mod world;
