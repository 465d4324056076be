//! The dry run.
use kumite_formats::contest::{Plan, Problem};
use std::path::{Path, PathBuf};
pub struct World<'a> {
    pub project: &'a Path,
    pub files: &'a [PathBuf],
    pub workspace: Option<&'a Path>,
    pub settings: &'a kumite_formats::Settings,
    pub env: &'a dyn Fn(&str) -> Option<String>,
}
pub fn check(_plan: &Plan, _world: &World<'_>) -> Vec<Check> {
    Vec::new()
}
pub fn refused(problems: &[Problem]) -> Vec<Check> {
    problems
        .iter()
        .map(|p| Check {
            category: "settings",
            name: String::new(),
            status: Status::Error,
            message: p.to_string(),
            file: None,
        })
        .collect()
}
pub fn is_good(checks: &[Check]) -> bool {
    checks.iter().all(|c| c.status != Status::Error)
}
pub fn to_json(_: &[Check]) -> serde_json::Value {
    serde_json::Value::Null
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ok,
    Error,
    Skipped,
}
pub struct Check {
    pub category: &'static str,
    pub name: String,
    pub status: Status,
    pub message: String,
    pub file: Option<PathBuf>,
}
