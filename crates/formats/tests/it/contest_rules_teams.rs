//! What is refused of teams, members and models.

use crate::contest::{EVALUATOR, TEAM, World, evaluator, judgment, mixseek, refused, team};

#[test]
fn teams_are_there_and_have_ids_of_their_own() {
    let two = "[orchestrator]\nteams = [{ config = \"a.toml\" }, { config = \"b.toml\" }]\n";
    let same = "[orchestrator]\nteams = [{ config = \"a.toml\" }, { config = \"a.toml\" }]\n";
    refused(
        "o.toml",
        &[
            (
                mixseek().file("o.toml", "[orchestrator]\n"),
                "o.toml:1: there is no team; add `[[orchestrator.teams]]` with `config = \"path\"`",
            ),
            (
                mixseek().file("o.toml", "[orchestrator]\nteams = []\n"),
                "o.toml:2: there is no team; add `[[orchestrator.teams]]` with `config = \"path\"`",
            ),
            (
                mixseek().file("o.toml", "[orchestrator]\n[[orchestrator.teams]]\n"),
                "o.toml:2: `orchestrator.teams.config` is missing",
            ),
            (
                mixseek()
                    .file("o.toml", two)
                    .file("b.toml", &format!("\n{TEAM}")),
                "b.toml:3: team id \"a\" is used twice; it is also the id at a.toml:2; give each team \
                 its own",
            ),
            (
                mixseek().file("o.toml", same),
                "a.toml:2: team id \"a\" is used twice; the same file is listed twice",
            ),
            (
                mixseek().file("a.toml", "[team]\nteam_id = \" \"\nteam_name = \"A\"\n"),
                "a.toml:2: `team.team_id` must be an id: text that is not blank and has no control \
                 characters, not \" \"",
            ),
            (
                mixseek().file("a.toml", "[team]\nteam_name = \"A\"\n"),
                "a.toml:1: `team.team_id` is missing",
            ),
            (
                mixseek().file("a.toml", "[workflow]\nworkflow_id = \"w\"\n"),
                "a.toml:1: workflow files are not supported; a team has `[team]`, a leader, and \
                 members that the leader calls",
            ),
            (
                mixseek().file("a.toml", "model = \"x\"\n"),
                "a.toml: this is no team file: it has no `[team]`; a team file begins with `[team]`",
            ),
            (
                mixseek().file("a.toml", "team = 5\n"),
                "a.toml:1: `team` must be a table, not 5\na.toml:1: `team.team_id` is missing\n\
                 a.toml:1: `team.team_name` is missing",
            ),
        ],
    );
}

fn member(keys: &str) -> World {
    team(&format!("[[team.members]]\n{keys}\n"))
}

const PLAIN: &str = "name = \"m\"\ntype = \"plain\"\nmodel = \"openai:x\"";

#[test]
fn members_are_named_and_known_and_different() {
    let two = |second: &str| {
        team(&format!(
            "[[team.members]]\n{PLAIN}\n[[team.members]]\n{second}\n"
        ))
    };
    refused(
        "o.toml",
        &[
            (
                two(PLAIN),
                "a.toml:8: member \"m\" is there twice in this team; it is also at a.toml:4",
            ),
            (
                two(
                    "name = \"n\"\ntype = \"plain\"\nmodel = \"openai:x\"\ntool_name = \"delegate_to_m\"",
                ),
                "a.toml:8: tool \"delegate_to_m\" is there twice in this team; it is also at a.toml:4",
            ),
            (
                member("name = \"m m\"\ntype = \"plain\"\nmodel = \"openai:x\""),
                "a.toml:5: `team.members.name` must be a name of letters, digits, `-`, `_` and `.`, \
                 not \"m m\"",
            ),
            (
                member("name = \"m\"\ntype = \"plane\"\nmodel = \"openai:x\""),
                "a.toml:6: `team.members.type` must be \"plain\" or \"web_search\" or \"web_fetch\" \
                 or \"code_execution\" or \"custom\", not \"plane\"",
            ),
            (
                member("name = \"m\"\ntype = \"plain\""),
                "a.toml:4: `team.members.model` is missing",
            ),
            (
                member(&format!("{PLAIN}\ntool_name = \"a b\"")),
                "a.toml:8: no model takes a tool of the name \"a b\"; `team.members.tool_name` may \
                 have at most 64 ASCII letters, digits, `-`, `_` and `.`",
            ),
            (
                member(&format!("{PLAIN}\ntool_description = \" \"")),
                "a.toml:8: `team.members.tool_description` must be text that is not empty, not \" \"",
            ),
            (
                member(
                    "name = \"m\"\ntype = \"custom\"\nmodel = \"x:y\"\nplugin = { path = \"p\" }",
                ),
                "a.toml:8: `team.members.plugin.agent_class` is missing",
            ),
            (
                member(
                    "name = \"m\"\ntype = \"custom\"\nmodel = \"x:y\"\nplugin = { agent_class = \"C\" }",
                ),
                "a.toml:8: `team.members.plugin.agent_module` or `path` is missing",
            ),
            (
                member(&format!("{PLAIN}\nplugin = {{ agent_class = \"C\" }}")),
                "a.toml:8: only a member of type \"custom\" has a `plugin`; write `type = \"custom\"` \
                 if that is meant",
            ),
            (
                member("config = \"m.toml\"").file("m.toml", "[team]\n"),
                "m.toml: this is no agent file: it has no `[agent]`; it begins with `[agent]`",
            ),
        ],
    );
}

#[test]
fn tools_of_a_provider_need_one_that_has_them() {
    let able = "openai-responses, anthropic, google-gla, google-vertex, grok-responses";
    refused(
        "o.toml",
        &[
            (
                member("name = \"m\"\ntype = \"web_search\"\nmodel = \"openai:x\""),
                &format!(
                    "a.toml:7: a member of kind \"web_search\" cannot have the model openai:x; \
                     write `openai-responses:x`, or use one of {able}"
                ),
            ),
            (
                member("name = \"m\"\ntype = \"code_execution\"\nmodel = \"ollama:x\""),
                &format!(
                    "a.toml:7: a member of kind \"code_execution\" cannot have the model ollama:x; \
                     use one of {able}"
                ),
            ),
            (
                member(&format!(
                    "{}\ntool_settings.web_fetch = {{ allowed_domains = [\"a\"], blocked_domains = [\"b\"] }}",
                    PLAIN.replace("plain", "web_fetch")
                )),
                "a.toml:8: `allowed_domains` and `blocked_domains` exclude each other; use one of them",
            ),
        ],
    );
}

#[test]
fn a_model_is_a_provider_that_is_known_and_a_name() {
    let known = "Known are openai, openai-responses, anthropic, google-gla, google-vertex, grok, \
        grok-responses, groq, ollama";
    let leader = |model: &str| team(&format!("[team.leader]\nmodel = {model}\n"));
    let shape = |shown: &str| {
        format!(
            "a.toml:5: `team.leader.model` must be a model as `provider:name`, such as \
             \"openai:gpt-4o\", not {shown}"
        )
    };
    let unknown = |provider: &str, near: &str| {
        format!(
            "a.toml:5: `team.leader.model` names the provider {provider:?}, which is not known; \
             did you mean `{near}`? {known}"
        )
    };
    for odd in [
        "\"gpt-4o\"",
        "\"openai:\"",
        "\":x\"",
        "\"openai:a b\"",
        "\"\"",
        "7",
    ] {
        assert_eq!(leader(odd).said("o.toml"), shape(odd));
    }
    for (provider, near) in [
        ("opnai", "openai"),
        ("xai", "grok"),
        ("gemini", "google-gla"),
        ("OpenAI", "openai"),
    ] {
        let said = leader(&format!("\"{provider}:x\"")).said("o.toml");
        assert_eq!(said, unknown(provider, near));
    }
    assert!(
        judgment("model = \"x:y\"")
            .said("o.toml")
            .starts_with("configs/judgment.toml:1: `model` names")
    );
    let evaluator = evaluator(&format!("default_model = \"x:y\"\n{EVALUATOR}"));
    assert!(
        evaluator
            .said("o.toml")
            .starts_with("configs/evaluator.toml:1: `default_model` names")
    );
    // Only the provider checks model names.
    leader("\"openai:no-such-model-9:z\"").plan("o.toml");
}

#[test]
fn numbers_for_models_have_their_ranges() {
    let leader = |keys: &str| team(&format!("[team.leader]\n{keys}\n"));
    let said = |key: &str, rest: &str| format!("a.toml:5: `team.leader.{key}` must be {rest}");
    for (keys, expected) in [
        (
            "timeout_seconds = 9",
            said(
                "timeout_seconds",
                "a whole number of seconds from 10 to 600, not 9",
            ),
        ),
        (
            "timeout_seconds = 601",
            said(
                "timeout_seconds",
                "a whole number of seconds from 10 to 600, not 601",
            ),
        ),
        (
            "temperature = 2.5",
            said("temperature", "a number from 0 to 2, not 2.5"),
        ),
        (
            "temperature = \"warm\"",
            said("temperature", "a number from 0 to 2, not \"warm\""),
        ),
        (
            "top_p = -0.1",
            said("top_p", "a number from 0 to 1, not -0.1"),
        ),
        (
            "max_tokens = 0",
            said("max_tokens", "a whole number from 1, not 0"),
        ),
        (
            "max_retries = -1",
            said("max_retries", "a whole number from 0 to 100, not -1"),
        ),
        ("seed = 1.5", said("seed", "a whole number, not 1.5")),
        (
            "stop_sequences = \"x\"",
            said(
                "stop_sequences",
                "a list of texts, such as [\"a\", \"b\"], not \"x\"",
            ),
        ),
        ("system_prompt = 3", said("system_prompt", "text, not 3")),
        (
            "model_settings = { a = inf }",
            said("model_settings", "a table of plain values, not a table"),
        ),
    ] {
        assert_eq!(leader(keys).said("o.toml"), expected);
    }
}
