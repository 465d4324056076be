//! Any text gives commands that can be run, or a line that exists.
#![no_main]

use std::collections::BTreeSet;

use kumite_formats::verification_commands;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match verification_commands::parse(&text) {
        Ok(commands) => {
            let names: BTreeSet<&str> = commands.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(names.len(), commands.len());
            assert!(names.iter().all(|name| (1..=40).contains(&name.len())));
            assert!(commands.iter().all(|it| !it.dir.starts_with('/')));
        }
        Err(error) => assert!((1..=text.lines().count()).contains(&error.line)),
    }
});
