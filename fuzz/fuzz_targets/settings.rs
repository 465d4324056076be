//! Any text, as a file and as the environment, is read or refused with a message. Variables follow
//! after a NUL byte, one per line.
#![no_main]

use kumite_formats::Settings;
use kumite_formats::settings::{Layer, Origin};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let all = String::from_utf8_lossy(bytes);
    let (text, variables) = all.split_once('\0').unwrap_or((&all, ""));
    let variables = variables.lines().filter_map(|line| line.split_once('='));
    let env: Vec<(String, String)> = variables
        .map(|(name, value)| (format!("KUMITE_{name}"), value.to_owned()))
        .collect();
    let origin = Origin::Project("kumite.toml".into());
    match Settings::load(&[Layer { origin, text }], &env, &[]) {
        Ok(loaded) => assert!(!loaded.origins.is_empty()),
        Err(error) => assert!(!error.message.is_empty()),
    }
});
