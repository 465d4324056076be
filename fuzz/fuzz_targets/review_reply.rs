//! Any bytes give findings or none.
#![no_main]

use kumite_formats::review_reply;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    review_reply::parse(bytes);
});
