//! Tests that only root can run say so, by name. `cargo xtask test` collects what they say.

use std::fs::File;
use std::io::Write;

/// Reports that the current test is skipped, and `why` it needs root.
pub fn needs_root(why: &str) {
    let test = std::thread::current();
    let skipped = format!("{}: {why}", test.name().unwrap_or("a test"));
    eprintln!("skipped, needs root: {skipped}");
    if let Some(list) = std::env::var_os("XTASK_TESTS_SKIPPED") {
        let mut list = File::options().append(true).open(list).unwrap();
        // One write, so that lines of several processes do not mix.
        list.write_all(format!("{skipped}\n").as_bytes()).unwrap();
    }
}
