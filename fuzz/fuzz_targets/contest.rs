//! Any text, used as every file of a contest, gives a plan or a message.
#![no_main]

use std::path::Path;

use kumite_formats::contest::{Request, load};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let request = Request {
        file: Path::new("contest.toml"),
        text: Some(&text),
        workspace: None,
        dir: Path::new("."),
        task: None,
        timeout: None,
        lenient: bytes.len() % 2 == 0,
    };
    let read = |_: &Path| Ok(text.clone().into_owned());
    match load(&request, &read, &|_| None) {
        Ok(loaded) => assert!(!loaded.plan.teams.is_empty()),
        Err(problems) => assert!(problems.iter().all(|it| !it.message.is_empty())),
    }
});
