//! What is refused, with the file, the line, the value and what is allowed.

use std::time::Duration;

use crate::contest::{
    EVALUATOR, ORCHESTRATOR, TEAM, evaluator, judgment, mixseek, orchestrator, refused, team,
};

#[test]
fn d10_rounds_are_one_to_ten_and_the_least_is_not_above_the_most() {
    let range = "a whole number from 1 to 10";
    let max =
        |value: &str| format!("o.toml:2: `orchestrator.max_rounds` must be {range}, not {value}");
    refused(
        "o.toml",
        &[
            (orchestrator("max_rounds = 11"), &max("11")),
            (orchestrator("max_rounds = 0"), &max("0")),
            (orchestrator("max_rounds = -1"), &max("-1")),
            (orchestrator("max_rounds = 2.5"), &max("2.5")),
            (orchestrator("max_rounds = \"many\""), &max("\"many\"")),
            (orchestrator("max_rounds = []"), &max("a list")),
            (
                orchestrator("max_rounds = 1979-05-27"),
                &max("a date, or a number that is too large"),
            ),
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
                team(
                    "[[team.members]]\nname = \"m\"\ntype = \"plain\"\nmodel = \"openai:x\"\nmax_token = 1\n",
                ),
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
                mixseek().file(
                    "configs/prompt_builder.toml",
                    "[prompt_builder]\nteam_prompt = \"x\"\n",
                ),
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
                "configs/evaluator.toml:1: the evaluator has no metrics; add `[[metrics]]` with a `name`",
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
                evaluator(&format!(
                    "{EVALUATOR}[custom_metrics]\nX = {{ module = \"m\" }}\n"
                )),
                "configs/evaluator.toml:4: `custom_metrics.X.class` is missing",
            ),
        ],
    );
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
    assert_eq!(
        mixseek().said("p.toml"),
        "p.toml: cannot be read: there is no such file"
    );
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_its_line() {
    let said = mixseek()
        .file("a.toml", "[team]\nteam_id = \n")
        .said("o.toml");
    assert!(said.starts_with("a.toml:2: not valid TOML: "), "{said}");
    let said = mixseek()
        .file("o.toml", "[orchestrator]\nmax_rounds = 3\nmax_rounds = 4\n")
        .said("o.toml");
    assert_eq!(said, "o.toml:3: not valid TOML: duplicate key");
}

#[test]
fn a_task_is_there_and_says_something() {
    let mut world = mixseek();
    world.task = Some(" \n".to_owned());
    assert_eq!(
        world.said("o.toml"),
        "o.toml: the task is empty; say what the teams are to do"
    );
    world.task = None;
    assert_eq!(
        world.said("o.toml"),
        "o.toml: there is no task; give it on the command line, after the file"
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let world = orchestrator("max_rounds = 11\nmax_round = 3")
        .file(
            "a.toml",
            "[team]\nteam_id = \"\"\nteam_name = \"A\"\ncolour = 1\n",
        )
        .file("configs/judgment.toml", "temperature = 9\n");
    let said = world.said("o.toml");
    let places: Vec<&str> = said
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "o.toml:2",
            "o.toml:3",
            "configs/judgment.toml:1",
            "a.toml:2",
            "a.toml:4"
        ]
    );
}
