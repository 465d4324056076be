//! The core is valuable because of what it lacks: no clock, no files, no randomness, no async.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Run;

const FORBIDDEN: [&str; 9] = [
    "std::time",
    "std::fs",
    "std::net",
    "std::process",
    "HashMap",
    "rand",
    "f32",
    "f64",
    "async",
];

/// The files that convert numbers from outside into whole ones, and whole ones into columns. They
/// contain no rules.
const MAY_KNOW_FLOATS: [&str; 2] = ["contest/score.rs", "contest/rows.rs"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_only_dependency_is_serde() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest
        .split("\n[")
        .find_map(|it| it.strip_prefix("dependencies]"));
    let names: Vec<&str> = section
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split(['.', ' ', '=']).next().unwrap())
        .collect();
    assert_eq!(names, ["serde"]);
    let other_tables = ["build-dependencies", "[dependencies.", "[target."];
    assert!(!other_tables.iter().any(|table| manifest.contains(table)));
}

#[test]
fn no_rule_knows_a_clock_a_file_or_a_die() {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    assert!(files.len() > 20, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let rules = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (index, line) in rules.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let found = FORBIDDEN
                .iter()
                .filter(|word| {
                    **word != "f64" || !MAY_KNOW_FLOATS.iter().any(|it| file.ends_with(it))
                })
                .find(|word| mentions(code, word));
            assert_eq!(found, None, "{}:{}", file.display(), index + 1);
        }
    }
}

#[test]
fn a_mention_is_a_whole_word() {
    assert!(mentions("use std::time::Instant;", "std::time"));
    assert!(mentions("let x: f64 = 0.0;", "f64"));
    assert!(!mentions("let grand = operand;", "rand"));
}

/// All Rust files outside the tests.
fn sources(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("tests") => {}
            true => sources(&path, files),
            false => files.push(path),
        }
    }
}

fn mentions(code: &str, word: &str) -> bool {
    let in_word = |it: char| it.is_alphanumeric() || it == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}

#[test]
fn c8_a_run_takes_less_than_a_kilobyte() {
    assert!(size_of::<Run>() < 1024, "{}", size_of::<Run>());
}
