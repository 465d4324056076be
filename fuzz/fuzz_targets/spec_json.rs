//! Any bytes are read or refused; a file that was read answers every question.
#![no_main]

use kumite_core::names::Document;
use kumite_formats::SpecJson;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match SpecJson::parse(bytes) {
    Ok(spec) => {
        assert_eq!(spec.text().as_bytes(), bytes);
        let _ = (spec.permitted(), spec.completed(), spec.worktree_path());
        for document in Document::ALL {
            spec.approval(document);
        }
        let rounds = spec.review().rounds;
        assert!(rounds.is_sorted_by(|one, two| one.number < two.number));
        let inspections = spec.inspections();
        assert!(inspections.is_sorted_by(|one, two| one.number < two.number));
        assert_eq!(spec.apply(&[], "T").ok().as_deref(), Some(bytes));
    }
    Err(error) => assert!(!error.to_string().is_empty()),
});
