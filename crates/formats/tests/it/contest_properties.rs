//! Any text in a contest's files gives an answer, never a panic.

use std::io;
use std::path::Path;

use kumite_formats::contest::{EXAMPLE, Request, load};
use proptest::prelude::*;

/// Every file and every variable has the same text.
fn read_everywhere(text: &str, variable: Option<&str>) -> bool {
    let request = Request {
        file: Path::new("contest.toml"),
        text: Some(text),
        workspace: None,
        dir: Path::new("."),
        task: None,
        timeout: None,
        lenient: false,
    };
    let read = |path: &Path| match path.ends_with(".env") {
        true => Err(io::ErrorKind::NotFound.into()),
        false => Ok(text.to_owned()),
    };
    let env = |name: &str| {
        let is_setting = name != "MIXSEEK_WORKSPACE";
        variable.filter(|_| is_setting).map(str::to_owned)
    };
    match load(&request, &read, &env) {
        Ok(loaded) => {
            // A plan is kept as JSON beside the journal.
            let json = serde_json::to_string(&loaded.plan).unwrap();
            let back: kumite_formats::contest::Plan = serde_json::from_str(&json).unwrap();
            assert_eq!(back, loaded.plan);
            true
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            false
        }
    }
}

/// Lines that the readers know, in random combinations.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(
        &[
            "task = \"t\"",
            "[orchestrator]",
            "[[orchestrator.teams]]",
            "config = \"a.toml\"",
            "max_rounds = 1",
            "min_rounds = 3",
            "max_rounds = 99",
            "[team]",
            "[[team]]",
            "id = \"a\"",
            "team_id = \"a\"",
            "team_name = \"A\"",
            "[team.leader]",
            "[[team.members]]",
            "[[team.member]]",
            "name = \"m\"",
            "type = \"plain\"",
            "kind = \"command\"",
            "kind = \"web_search\"",
            "model = \"openai:x\"",
            "model = \"x\"",
            "agent = \"claude\"",
            "scripted = \"late\"",
            "command = [\"x\"]",
            "words = [\"w\"]",
            "words = []",
            "[[metric]]",
            "[[metrics]]",
            "name = \"Coverage\"",
            "weight = 0.5",
            "weight = 1",
            "weight = nan",
            "instruction = \"i\"",
            "system_instruction = { text = \"x\" }",
            "system_instruction = \" \"",
            "[judge]",
            "[judgment]",
            "[prompts]",
            "[prompt_builder]",
            "team_file = \"p\"",
            "[price.\"openai:x\"]",
            "input = 1",
            "output = 2",
            "[custom_metrics]",
            "X = { module = \"m\", class = \"C\" }",
            "[llm_default]",
            "temperature = 1e400",
            "seed = 9223372036854775807",
            "timeout = \"5m\"",
            "timeout_seconds = 5",
            "max_tokens = 4294967296",
            "plugin = { agent_class = \"C\" }",
            "tool_settings = { web_search = 3 }",
            "metadata = { tool_settings = {} }",
            "[agent]",
            "[contest]",
            "budget_usd = 1",
            "submission = \"file:x\"",
            "x = 1979-05-27",
            "teams = 3",
            "extra = { a = [1, { b = 2 }] }",
            "[workflow]",
            "environment = \"dev\"",
        ][..],
    );
    prop::collection::vec(line, 0..14).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,200}", variable in prop::option::of("[\\[\\]{}\",:0-9a-z ]{0,12}")) {
        read_everywhere(&text, variable.as_deref());
    }

    #[test]
    fn no_lines_of_settings_make_the_reader_panic(text in lines(), variable in prop::option::of("[\\[\\]{}\",:0-9a-z ]{0,12}")) {
        read_everywhere(&text, variable.as_deref());
    }

    #[test]
    fn no_damage_to_a_good_file_makes_the_reader_panic(cut in 0_usize..5000, put in "[\\[\\]{}=\"'.,#\n0-9a-z]{0,4}") {
        let cut = (0..=cut.min(EXAMPLE.len())).rev().find(|at| EXAMPLE.is_char_boundary(*at)).unwrap();
        let text = format!("{}{put}{}", &EXAMPLE[..cut], &EXAMPLE[cut..]);
        read_everywhere(&text, None);
        read_everywhere(&text[..cut], None);
    }
}

#[test]
fn the_example_itself_is_good() {
    assert!(read_everywhere(EXAMPLE, None));
}
