//! What is refused, with the file, the line, the value and what is allowed.

use std::time::Duration;

use crate::contest::{
    EVALUATOR, ORCHESTRATOR, TEAM, World, evaluator, judgment, mixseek, orchestrator, refused, team,
};

#[test]
fn d10_rounds_are_one_to_ten_and_the_least_is_not_above_the_most() {
    let range = "a whole number from 1 to 10";
    let max = |value: &str| format!("o.toml:2: `orchestrator.max_rounds` must be {range}, not {value}");
    refused(
        "o.toml",
        &[
            (orchestrator("max_rounds = 11"), &max("11")),
            (orchestrator("max_rounds = 0"), &max("0")),
            (orchestrator("max_rounds = -1"), &max("-1")),
            (orchestrator("max_rounds = 2.5"), &max("2.5")),
            (orchestrator("max_rounds = \"many\""), &max("\"many\"")),
            (orchestrator("max_rounds = []"), &max("a list")),
            (orchestrator("max_rounds = 1979-05-27"), &max("a date, or a number that is too large")),
            (
                orchestrator("max_rounds = 4\nmin_rounds = 5"),
                "o.toml:3: `orchestrator.min_rounds` is 5, but `orchestrator.max_rounds` is 4; \
                 `min_rounds` must not be above `max_rounds`",
            ),
            (
                orchestrator("min_rounds = 6"),
                "o.toml:2: `orchestrator.min_rounds` is 6, but `orchestrator.max_rounds` is 5 where \
                 it is not given; `min_rounds` must not be above `max_rounds`",
            ),
            (
                orchestrator("max_rounds = 1"),
                "o.toml:2: `orchestrator.min_rounds` is 2 where it is not given, but \
                 `orchestrator.max_rounds` is 1; set `min_rounds = 1` as well",
            ),
            (
                mixseek().env("MIXSEEK_MAX_ROUNDS", "11"),
                "environment variable MIXSEEK_MAX_ROUNDS: `orchestrator.max_rounds` must be a whole \
                 number from 1 to 10, not \"11\"",
            ),
            (
                mixseek().file(".env", "\nMIXSEEK_MAX_ROUNDS=11"),
                ".env:2: `orchestrator.max_rounds` must be a whole number from 1 to 10, not \"11\"",
            ),
        ],
    );
}

#[test]
fn limits_of_the_orchestrator_hold() {
    refused(
        "o.toml",
        &[
            (
                orchestrator("timeout_per_team_seconds = 9"),
                "o.toml:2: `orchestrator.timeout_per_team_seconds` must be a whole number of seconds \
                 from 10 to 3600, not 9",
            ),
            (
                orchestrator("submission_timeout_seconds = 0"),
                "o.toml:2: `orchestrator.submission_timeout_seconds` must be a whole number of \
                 seconds from 1, not 0",
            ),
            (
                orchestrator("max_concurrent_teams = 101"),
                "o.toml:2: `orchestrator.max_concurrent_teams` must be a whole number from 1 to 100, \
                 not 101",
            ),
            (
                orchestrator("max_retries_per_team = 11"),
                "o.toml:2: `orchestrator.max_retries_per_team` must be a whole number from 0 to 10, \
                 not 11",
            ),
            (
                orchestrator("environment = \"test\""),
                "o.toml:2: `orchestrator.environment` must be \"dev\" or \"staging\" or \"prod\", \
                 not \"test\"",
            ),
        ],
    );
    let mut world = mixseek();
    world.timeout = Some(Duration::ZERO);
    assert_eq!(world.said("o.toml"), "--timeout: it must be above zero");
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    refused(
        "o.toml",
        &[
            (
                orchestrator("max_round = 3"),
                "o.toml:2: unknown key `orchestrator.max_round`; did you mean `max_rounds`?",
            ),
            (
                orchestrator("workspace = \"x\""),
                "o.toml:2: unknown key `orchestrator.workspace`; did you mean `workspace_path`?",
            ),
            (
                team("[team.leader]\ntemprature = 1\n"),
                "a.toml:5: unknown key `team.leader.temprature`; did you mean `temperature`?",
            ),
            (
                team("[[team.members]]\nname = \"m\"\ntype = \"plain\"\nmodel = \"openai:x\"\nmax_token = 1\n"),
                "a.toml:8: unknown key `team.members.max_token`; did you mean `max_tokens`?",
            ),
            (
                evaluator("[[metrics]]\nname = \"Coverage\"\nwieght = 1\n"),
                "configs/evaluator.toml:3: unknown key `metrics.wieght`; did you mean `weight`?",
            ),
            (
                judgment("modle = \"openai:x\"\n"),
                "configs/judgment.toml:1: unknown key `modle`; did you mean `model`?",
            ),
            (
                mixseek().file("configs/prompt_builder.toml", "[prompt_builder]\nteam_prompt = \"x\"\n"),
                "configs/prompt_builder.toml:2: unknown key `prompt_builder.team_prompt`; \
                 did you mean `team_user_prompt`?",
            ),
            (
                mixseek().file("a.toml", &format!("{TEAM}\n[teams]\n")),
                "a.toml:5: unknown key `teams`; did you mean `team`?",
            ),
        ],
    );
}

#[test]
fn a_lenient_reader_only_warns_of_unknown_keys() {
    let mut world = orchestrator("max_round = 3");
    world.lenient = true;
    assert_eq!(
        world.warned("o.toml"),
        "o.toml:2: unknown key `orchestrator.max_round`; did you mean `max_rounds`?"
    );
    let mut world = orchestrator("max_rounds = 11");
    world.lenient = true;
    assert!(world.load("o.toml").is_err());
}

#[test]
fn weights_are_given_to_all_or_to_none_and_add_up_to_one() {
    let metrics = |first: &str, second: &str| {
        evaluator(&format!(
            "[[metrics]]\nname = \"Coverage\"\n{first}\n[[metrics]]\nname = \"Relevance\"\n{second}\n"
        ))
    };
    refused(
        "o.toml",
        &[
            (
                metrics("weight = 0.5", "weight = 0.666"),
                "configs/evaluator.toml:3: the weights of the metrics add up to 1.166 \
                 (Coverage 0.5, Relevance 0.666); they must add up to 1",
            ),
            (
                metrics("weight = 0.5", "weight = 0.498"),
                "configs/evaluator.toml:3: the weights of the metrics add up to 0.998 \
                 (Coverage 0.5, Relevance 0.498); they must add up to 1",
            ),
            (
                metrics("weight = 0", "weight = 0"),
                "configs/evaluator.toml:3: the weights of the metrics add up to 0 \
                 (Coverage 0, Relevance 0); they must add up to 1",
            ),
            (
                metrics("weight = 1.0", ""),
                "configs/evaluator.toml:5: metric \"Relevance\" has no `weight`, but others have one; \
                 give one to all metrics, or to none",
            ),
        ],
    );
    let said = metrics("weight = 1.5", "weight = 1.0").said("o.toml");
    let range = "configs/evaluator.toml:3: `metrics.weight` must be a number from 0 to 1, not 1.5";
    assert_eq!(said, range);
    let nan = metrics("weight = nan", "weight = 1.0").said("o.toml");
    assert_eq!(nan, range.replace("1.5", "NaN"));
    for good in ["0.499", "0.501"] {
        metrics("weight = 0.5", &format!("weight = {good}")).plan("o.toml");
    }
}

#[test]
fn metrics_are_there_and_known_and_different() {
    refused(
        "o.toml",
        &[
            (
                evaluator("default_model = \"openai:x\"\n"),
                "configs/evaluator.toml: the evaluator has no metrics; add `[[metrics]]` with a `name`",
            ),
            (
                evaluator("metrics = []\n"),
                "configs/evaluator.toml:1: the evaluator has no metrics; add `[[metrics]]` with a \
                 `name`",
            ),
            (
                evaluator("[[metrics]]\nname = \"Coverge\"\n"),
                "configs/evaluator.toml:2: there is no metric \"Coverge\"; did you mean `Coverage`? \
                 Known are ClarityCoherence, Coverage, Relevance, LLMPlain",
            ),
            (
                evaluator(
                    "[[metrics]]\nname = \"Sharp\"\n[custom_metrics.Sharpe]\nmodule = \"m\"\n\
                     class = \"C\"\n",
                ),
                "configs/evaluator.toml:2: there is no metric \"Sharp\"; did you mean `Sharpe`? \
                 Known are ClarityCoherence, Coverage, Relevance, LLMPlain, Sharpe",
            ),
            (
                evaluator("[[metrics]]\nname = \"Coverage\"\n[[metrics]]\nname = \"Coverage\"\n"),
                "configs/evaluator.toml:4: metric \"Coverage\" is there twice; the first is at \
                 configs/evaluator.toml:2",
            ),
            (
                evaluator("[[metrics]]\nweight = 1\n"),
                "configs/evaluator.toml:1: `metrics.name` is missing",
            ),
            (
                evaluator("metrics = \"Coverage\"\n"),
                "configs/evaluator.toml:1: `metrics` must be written as `[[metrics]]`, \
                 not \"Coverage\"",
            ),
            (
                evaluator(&format!("{EVALUATOR}[custom_metrics]\nX = {{ module = \"m\" }}\n")),
                "configs/evaluator.toml:4: `custom_metrics.X.class` is missing",
            ),
        ],
    );
}

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
                mixseek().file("o.toml", two).file("b.toml", &format!("\n{TEAM}")),
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
    let two = |second: &str| team(&format!("[[team.members]]\n{PLAIN}\n[[team.members]]\n{second}\n"));
    refused(
        "o.toml",
        &[
            (
                two(PLAIN),
                "a.toml:8: member \"m\" is there twice in this team; it is also at a.toml:4",
            ),
            (
                two("name = \"n\"\ntype = \"plain\"\nmodel = \"openai:x\"\ntool_name = \"delegate_to_m\""),
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
            (member("name = \"m\"\ntype = \"plain\""), "a.toml:4: `team.members.model` is missing"),
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
                member("name = \"m\"\ntype = \"custom\"\nmodel = \"x:y\"\nplugin = { path = \"p\" }"),
                "a.toml:8: `team.members.plugin.agent_class` is missing",
            ),
            (
                member("name = \"m\"\ntype = \"custom\"\nmodel = \"x:y\"\nplugin = { agent_class = \"C\" }"),
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
    for odd in ["\"gpt-4o\"", "\"openai:\"", "\":x\"", "\"openai:a b\"", "\"\"", "7"] {
        assert_eq!(leader(odd).said("o.toml"), shape(odd));
    }
    for (provider, near) in [("opnai", "openai"), ("xai", "grok"), ("gemini", "google-gla"), ("OpenAI", "openai")] {
        let said = leader(&format!("\"{provider}:x\"")).said("o.toml");
        assert_eq!(said, unknown(provider, near));
    }
    assert!(judgment("model = \"x:y\"").said("o.toml").starts_with("configs/judgment.toml:1: `model` names"));
    let evaluator = evaluator(&format!("default_model = \"x:y\"\n{EVALUATOR}"));
    assert!(evaluator.said("o.toml").starts_with("configs/evaluator.toml:1: `default_model` names"));
    // Model names are nobody's business but the provider's.
    leader("\"openai:no-such-model-9:z\"").plan("o.toml");
}

#[test]
fn numbers_for_models_have_their_ranges() {
    let leader = |keys: &str| team(&format!("[team.leader]\n{keys}\n"));
    let said = |key: &str, rest: &str| format!("a.toml:5: `team.leader.{key}` must be {rest}");
    for (keys, expected) in [
        ("timeout_seconds = 9", said("timeout_seconds", "a whole number of seconds from 10 to 600, not 9")),
        ("timeout_seconds = 601", said("timeout_seconds", "a whole number of seconds from 10 to 600, not 601")),
        ("temperature = 2.5", said("temperature", "a number from 0 to 2, not 2.5")),
        ("temperature = \"warm\"", said("temperature", "a number from 0 to 2, not \"warm\"")),
        ("top_p = -0.1", said("top_p", "a number from 0 to 1, not -0.1")),
        ("max_tokens = 0", said("max_tokens", "a whole number from 1, not 0")),
        ("max_retries = -1", said("max_retries", "a whole number from 0 to 100, not -1")),
        ("seed = 1.5", said("seed", "a whole number, not 1.5")),
        ("stop_sequences = \"x\"", said("stop_sequences", "a list of texts, such as [\"a\", \"b\"], not \"x\"")),
        ("system_prompt = 3", said("system_prompt", "text, not 3")),
        ("model_settings = { a = inf }", said("model_settings", "a table of plain values, not a table")),
    ] {
        assert_eq!(leader(keys).said("o.toml"), expected);
    }
}

#[test]
fn a_missing_file_names_who_refers_to_it() {
    let from = "relative paths are seen from /work/project";
    refused(
        "o.toml",
        &[
            (
                mixseek().file("o.toml", &ORCHESTRATOR.replace("a.toml", "x/b.toml")),
                &format!(
                    "o.toml:3: `orchestrator.teams.config` names x/b.toml, which cannot be read: \
                     there is no such file; {from}"
                ),
            ),
            (
                orchestrator("evaluator_config = \"e.toml\""),
                &format!(
                    "o.toml:2: `orchestrator.evaluator_config` names e.toml, which cannot be read: \
                     there is no such file; {from}"
                ),
            ),
            (
                orchestrator("judgment_config = \"/j.toml\""),
                "o.toml:2: `orchestrator.judgment_config` names /j.toml, which cannot be read: there \
                 is no such file",
            ),
            (
                team("[[team.members]]\nconfig = \"m.toml\"\n"),
                &format!(
                    "a.toml:5: `team.members.config` names m.toml, which cannot be read: there is no \
                     such file; {from}"
                ),
            ),
        ],
    );
    assert_eq!(mixseek().said("p.toml"), "p.toml: cannot be read: there is no such file");
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_its_line() {
    let said = mixseek().file("a.toml", "[team]\nteam_id = \n").said("o.toml");
    assert!(said.starts_with("a.toml:2: not valid TOML: "), "{said}");
    let said = mixseek().file("o.toml", "[orchestrator]\nmax_rounds = 3\nmax_rounds = 4\n").said("o.toml");
    assert_eq!(said, "o.toml:3: not valid TOML: duplicate key");
}

#[test]
fn a_task_is_there_and_says_something() {
    let mut world = mixseek();
    world.task = Some(" \n".to_owned());
    assert_eq!(
        world.said("o.toml"),
        "o.toml: the task on the command line is empty; say what the teams are to do"
    );
    world.task = None;
    assert_eq!(
        world.said("o.toml"),
        "o.toml: there is no task; give it on the command line, behind the file"
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let world = orchestrator("max_rounds = 11\nmax_round = 3")
        .file("a.toml", "[team]\nteam_id = \"\"\nteam_name = \"A\"\ncolour = 1\n")
        .file("configs/judgment.toml", "temperature = 9\n");
    let said = world.said("o.toml");
    let places: Vec<&str> = said.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["o.toml:2", "o.toml:3", "configs/judgment.toml:1", "a.toml:2", "a.toml:4"]);
}
