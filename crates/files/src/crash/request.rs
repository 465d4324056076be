//! What the variables request.

use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Signal, getpid, kill_process};

use super::VARIABLES;
use crate::open::{Access, open_append};

static REQUEST: OnceLock<Option<CrashRequest>> = OnceLock::new();

struct CrashRequest {
    /// Crash when this point is passed for the n-th time.
    at: Option<(u64, String)>,
    passed: AtomicU64,
    report: Option<File>,
}

pub fn pass(name: Arguments<'_>) {
    if let Some(request) = REQUEST.get_or_init(read) {
        request.pass(&name.to_string());
    }
}

fn read() -> Option<CrashRequest> {
    let at = std::env::var(format!("{VARIABLES}AT")).ok();
    let report = std::env::var_os(format!("{VARIABLES}REPORT"));
    if at.is_none() && report.is_none() {
        return None;
    }
    Some(CrashRequest {
        at: at.and_then(|at| {
            let (times, name) = at.split_once(' ')?;
            Some((times.parse().ok()?, name.to_owned()))
        }),
        passed: AtomicU64::new(0),
        report: report.and_then(|path| open_append(path.as_ref(), Access::Everybody).ok()),
    })
}

impl CrashRequest {
    fn pass(&self, name: &str) {
        if let Some(mut report) = self.report.as_ref() {
            let _ = report.write_all(format!("{name}\n").as_bytes());
        }
        if let Some((times, wanted)) = &self.at
            && name == wanted
            && self.passed.fetch_add(1, Ordering::Relaxed) + 1 == *times
        {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}
