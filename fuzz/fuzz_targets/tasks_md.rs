//! Any bytes give a number of tasks, and valid line numbers.
#![no_main]

use kumite_core::facts::TaskFacts;
use kumite_formats::tasks_md;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let tasks = tasks_md::parse(bytes);
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(
        tasks
            .items
            .iter()
            .all(|task| (1..=lines).contains(&task.line))
    );
    if let TaskFacts::Counted { done, total } = tasks.facts() {
        assert!(done <= total);
    }
    let (done, total) = tasks_md::legacy_count(bytes);
    assert!(done <= total);
});
