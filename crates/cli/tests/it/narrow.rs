//! A narrow terminal: what moves fits into one row.

use serde_json::json;

use crate::odd_places::in_terminal;
use crate::world::World;

const COLUMNS: usize = 40;

/// A live line that is wider than the terminal wraps, and cannot be drawn again.
#[test]
fn a_live_line_never_wraps_at_40_columns() {
    let mut world = World::new();
    let spec = "a-spec-with-a-long-name-and-many-words";
    world.spec_ready_for_impl(spec);
    // The agent works until the line has been drawn several times.
    world.play(json!({"steps": {"impl": {"sleep_ms": 1200}}}));
    world.env = vec![("TERM".to_owned(), "xterm".to_owned())];
    let kumite = env!("CARGO_BIN_EXE_kumite");
    let command = format!("stty cols {COLUMNS} rows 24; {kumite} run {spec} --until impl");
    let shown = in_terminal(&mut world.command(&[]), &command);
    let moving: Vec<String> = shown
        .split(['\r', '\n'])
        .map(without_codes)
        .filter(|row| row.starts_with(is_spinner))
        .collect();
    assert!(moving.len() > 5, "{shown:?}");
    for row in &moving {
        let width = row.chars().count();
        assert!(width <= COLUMNS, "{width} columns: {row:?}");
    }
    // The line has its beginning: the spec that it is about.
    assert!(
        moving.iter().any(|row| row.contains("a-spec-with")),
        "{moving:?}"
    );
}

fn is_spinner(sign: char) -> bool {
    ('\u{2800}'..='\u{28ff}').contains(&sign)
}

/// A row without the codes that move the cursor and clear the row.
fn without_codes(row: &str) -> String {
    let mut parts = row.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic());
        plain.extend(rest.chars().skip(1));
    }
    plain
}
