//! Any changes to any readable file: the result is readable, and applying them again changes
//! nothing.
//!
//! The first byte is the number of changes, two bytes each; the rest is the file.
#![no_main]

use kumite_core::change::Change;
use kumite_core::facts::{Findings, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_formats::SpecJson;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((count, rest)) = bytes.split_first() else {
        return;
    };
    let length = usize::from(count % 8) * 2;
    let Some((orders, file)) = rest.split_at_checked(length) else {
        return;
    };
    let changes: Vec<Change> = orders
        .chunks(2)
        .map(|pair| change(pair[0], pair[1]))
        .collect();
    let Ok(spec) = SpecJson::parse(file) else {
        return;
    };
    let Ok(once) = spec.apply(&changes, "2026-01-01T00:00:00Z") else {
        return;
    };
    let again = SpecJson::parse(&once).expect("the new text can be read");
    let twice = again
        .apply(&changes, "2026-01-01T00:00:00Z")
        .expect("it is not larger");
    assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(&twice)
    );
});

fn change(kind: u8, detail: u8) -> Change {
    let document = Document::ALL[usize::from(detail) % 3];
    let number = u32::from(detail % 5) + 1;
    let findings = Findings {
        fix_required: u32::from(detail / 5 % 3),
        needs_discussion: u32::from(detail / 15 % 3),
    };
    let verdict = if detail >= 128 {
        Verdict::Go
    } else {
        Verdict::Nogo
    };
    match kind % 13 {
        0 => Change::Generated(document),
        1 => Change::Approved(document),
        2 => Change::Rejected(document),
        3 => Change::ReviewStarted(number),
        4 => Change::ReviewWritten(number),
        5 => Change::Replied(number, findings),
        6 => Change::ReviewApproved,
        7 => Change::Implemented,
        8 => Change::Inspected(number, verdict),
        9 => Change::Fixed(number),
        10 => Change::InspectionPassed,
        11 => Change::Deployed,
        _ => Change::Reopened(Phase::ALL[usize::from(detail) % 7]),
    }
}
