//! Commands that a project seems to have. They are proposed as comments: kumite runs nothing that
//! nobody asked for.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// What npm writes into a new package.json.
const NO_TEST: &str = "no test specified";
/// Larger files are not written by people.
const BYTES_MAX: u64 = 1_000_000;

/// The end of a new kumite.toml; empty if nothing was found.
pub fn proposals(root: &Path) -> String {
    let mut text = String::new();
    for (name, run) in found(root) {
        let words: Vec<String> = run.iter().map(|word| format!("\"{word}\"")).collect();
        text.push_str(&format!(
            "\n# [[verify.command]]\n# name = \"{name}\"\n# run = [{}]\n",
            words.join(", ")
        ));
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "\n# These commands were found in this project. Remove the `# ` of those that kumite should run.\n{text}"
        ),
    }
}

type Command = (&'static str, Vec<&'static str>);

fn found(root: &Path) -> Vec<Command> {
    let has = |name: &str| root.join(name).is_file();
    let mut found: Vec<Command> = Vec::new();
    if has("Cargo.toml") {
        found.push(("cargo-test", vec!["cargo", "test"]));
    }
    if let Some(text) = read(root, "package.json") {
        found.extend(of_npm(&text));
    }
    if has("pyproject.toml") {
        found.push(("pytest", vec!["pytest"]));
    }
    if has("go.mod") {
        found.push(("go-test", vec!["go", "test", "./..."]));
    }
    let makefiles = ["GNUmakefile", "makefile", "Makefile"];
    // make uses the first of these files, and no other.
    let makefile = makefiles.into_iter().find_map(|name| read(root, name));
    if makefile.is_some_and(|text| has_test_target(&text)) {
        found.push(("make-test", vec!["make", "test"]));
    }
    found
}

fn of_npm(text: &str) -> Vec<Command> {
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    let script = |name: &str| package["scripts"][name].as_str();
    let mut found: Vec<Command> = Vec::new();
    if script("test").is_some_and(|test| !test.contains(NO_TEST)) {
        found.push(("npm-test", vec!["npm", "test"]));
    }
    for (name, word) in [
        ("npm-lint", "lint"),
        ("npm-typecheck", "typecheck"),
        ("npm-type-check", "type-check"),
    ] {
        if script(word).is_some() {
            found.push((name, vec!["npm", "run", word]));
        }
    }
    found
}

/// A rule for `test`, alone or among other targets. An assignment also has a colon.
fn has_test_target(text: &str) -> bool {
    text.lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else {
            return false;
        };
        let is_rule = !line.starts_with(['\t', ' ', '#']) && !targets.contains('=');
        let is_assignment = rest.trim_start_matches(':').starts_with('=');
        is_rule && !is_assignment && targets.split_whitespace().any(|it| it == "test")
    })
}

/// The text of a file. What cannot be read is no reason to fail: there is only no proposal.
fn read(root: &Path, name: &str) -> Option<String> {
    let path = root.join(name);
    let about = fs::metadata(&path).ok()?;
    let is_readable = about.is_file() && about.len() <= BYTES_MAX;
    is_readable.then(|| fs::read_to_string(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_4_a_target_called_test_is_found_and_nothing_that_only_looks_like_one() {
        for text in [
            "test:\n\tgo test\n",
            "all: x\n\ntest : x",
            "check test: x",
            "test:: x",
            ".PHONY: test\ntest:",
            "test: export A := 1",
        ] {
            assert!(has_test_target(text), "{text}");
        }
        for text in [
            "",
            "tests:",
            "all: test",
            "test := 1",
            "test ::= 1",
            "test = a:b",
            "\ttest: x",
            "# test: x",
            "test",
            ".PHONY: test",
        ] {
            assert!(!has_test_target(text), "{text}");
        }
    }
}
