//! D12: how often does a judge agree with a person? Measured on labelled cases.

mod cases;
mod report;
#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kumite_core::contest::{Failure, Judgment, Retry, Used, after_failure};
use kumite_models::Cancel;

use crate::judge::Case;
use crate::work::{Judge, Try};

pub use cases::{CASES, Error, Labelled, Split, parse, shipped};
pub use report::{Confusion, Failed, Group, Report, Wrong};

/// How a judge is asked.
pub struct Way<'a> {
    /// Further tries after the first, as in a contest.
    pub retries: u32,
    pub timeout: Duration,
    pub cancel: &'a Cancel,
}

/// How many cases are judged at the same time.
const AT_ONCE: usize = 4;

/// The same task for all cases; the judge is asked for its sense of scores, not for its knowledge.
const TASK: &str = "Fulfil the task that the remarks are about, as well as possible.";

/// The result of one case.
struct Outcome {
    judgment: Result<Judgment, String>,
    calls: u32,
    used: Used,
}

/// Asks the judge about every case.
pub fn measure(judge: &dyn Judge, cases: &[Labelled], way: &Way<'_>) -> Report {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(cases.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(cases.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else {
                        return;
                    };
                    let outcome = ask(judge, case, way);
                    let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                    outcomes[index] = Some(outcome);
                }
            });
        }
    });
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let mut report = Report::default();
    for (case, outcome) in cases.iter().zip(outcomes.into_iter().flatten()) {
        report.calls += outcome.calls;
        report.used.add(outcome.used);
        report.add(case, outcome.judgment);
    }
    report
}

fn ask(judge: &dyn Judge, labelled: &Labelled, way: &Way<'_>) -> Outcome {
    let case = Case {
        record: labelled.case.clone(),
        task: TASK,
        texts: &|_| None,
    };
    let mut used = Used::default();
    let mut attempt = 1;
    loop {
        let turn = Try {
            contest_id: "judge-check",
            team_id: &labelled.id,
            team_name: &labelled.id,
            round: labelled.case.round,
            attempt,
            timeout: way.timeout,
            cancel: way.cancel,
            dir: &std::env::temp_dir(),
        };
        let missed = match judge.judge(&case, &turn) {
            Ok((judgment, more)) => {
                used.add(more);
                return Outcome {
                    judgment: Ok(judgment),
                    calls: attempt,
                    used,
                };
            }
            Err(missed) => missed,
        };
        used.add(missed.used);
        let retry = match missed.failed.failure {
            Failure::Lasting => Retry::Never,
            _ => after_failure(attempt, way.retries, &missed.failed),
        };
        match retry {
            Retry::After {
                attempt: next,
                wait_ms,
            } if !way.cancel.wait(Duration::from_millis(wait_ms)) => attempt = next,
            Retry::After { .. } | Retry::Never => {
                return Outcome {
                    judgment: Err(missed.failed.why),
                    calls: attempt,
                    used,
                };
            }
        }
    }
}
