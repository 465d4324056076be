//! What the formats promise, one sentence per row.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod contest;
mod contest_examples;
mod contest_mixseek;
mod contest_mixseek_env;
mod contest_own;
mod contest_own_rules;
mod contest_properties;
mod contest_rules;
mod contest_rules_teams;
mod inspection_report;
mod properties;
mod review_reply;
mod settings;
mod settings_agents;
mod settings_amounts;
mod settings_place;
mod settings_verify;
mod shapes;
mod spec_json_errors;
mod spec_json_read;
mod spec_json_style;
mod spec_json_write;
mod speed;
mod tasks_md;
mod verification_commands;
