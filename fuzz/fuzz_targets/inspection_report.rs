//! Any bytes give a verdict or none; a text without the letters of GO gives none.
#![no_main]

use kumite_formats::inspection_report;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let verdict = inspection_report::parse(bytes);
    let plain = bytes.is_ascii() && !bytes.iter().any(|byte| matches!(byte, b'g' | b'G'));
    assert!(!(plain && verdict.is_some()));
});
