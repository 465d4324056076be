//! mixseek's judge and prompts, the environment, and the workspace.

use crate::contest::{EVALUATOR, TEAM, World, judgment, mixseek, orchestrator, team};
use crate::contest_mixseek::{MEMBER, judge, leader, metric_llm, model_team};

#[test]
fn the_judge_is_as_its_file_says() {
    let world = judgment(
        "model = \"openai:j\"\nmax_retries = 0\nstop_sequences = [\"X\"]\nseed = 1\n\
         system_instruction = \"weigh\"\njudge_on_final_round = false\n",
    );
    assert!(!world.plan("o.toml").judge_on_final_round);
    let (instruction, llm) = judge(&world);
    assert_eq!(
        (instruction.as_deref(), llm.model.as_str()),
        (Some("weigh"), "openai:j")
    );
    assert_eq!(
        (llm.max_retries, llm.temperature, llm.seed),
        (0, Some(0.0), Some(1))
    );
    assert_eq!(llm.stop_sequences, ["X"]);
}

#[test]
fn a_judgment_section_counts_and_is_warned_of() {
    let world = judgment("[judgment]\nmodel = \"openai:j\"\n");
    assert_eq!(judge(&world).1.model, "openai:j");
    assert_eq!(
        world.warned("o.toml"),
        "configs/judgment.toml:1: a judgment file has no sections; `[judgment]` is read as if it had \
         none; mixseek itself passes over it and uses its defaults"
    );
}

#[test]
fn prompts_come_from_their_file() {
    let world = mixseek().file(
        "configs/prompt_builder.toml",
        "[prompt_builder]\nteam_user_prompt = \"{{ user_prompt }}\"\n",
    );
    let prompts = world.plan("o.toml").prompts;
    assert_eq!(prompts.team.as_deref(), Some("{{ user_prompt }}"));
    assert_eq!((prompts.evaluator, prompts.judge), (None, None));
}

#[test]
fn the_environment_wins_over_dot_env_and_that_over_files() {
    let world = orchestrator("max_rounds = 3").file(".env", "MIXSEEK_MAX_ROUNDS=6\n");
    assert_eq!(world.plan("o.toml").rounds_max, 6);
    let world = world.env("MIXSEEK_MAX_ROUNDS", "9");
    assert_eq!(world.plan("o.toml").rounds_max, 9);
    let world = orchestrator("max_rounds = 3").env("mixseek_max_rounds", "8");
    assert_eq!(world.plan("o.toml").rounds_max, 8);
}

#[test]
fn variables_reach_teams_leaders_members_evaluator_judge_and_prompts() {
    let world = team(&format!(
        "{MEMBER}temperature = 0.1\n[team.leader]\ntemperature = 0.2\n"
    ))
    .env("MIXSEEK_TEAM__TEAM_NAME", "All")
    .env("MIXSEEK_LEADER__TEMPERATURE", "0.9")
    .env("MIXSEEK_LEADER__STOP_SEQUENCES", "[\"a\", \"b\"]")
    .env("MIXSEEK_MEMBER__TEMPERATURE", "1.9")
    .env("MIXSEEK_MEMBER__MAX_TOKENS", "77")
    .env("MIXSEEK_EVALUATOR__DEFAULT_MODEL", "openai:env")
    .env("MIXSEEK_EVALUATOR__LLM_DEFAULT__SEED", "5")
    .env("MIXSEEK_JUDGMENT__MODEL", "openai:envjudge")
    .env("MIXSEEK_JUDGMENT__JUDGE_ON_FINAL_ROUND", "false")
    .env(
        "MIXSEEK_PROMPT_BUILDER__JUDGMENT_USER_PROMPT",
        "judge {{ user_prompt }}",
    )
    .file(
        "configs/evaluator.toml",
        &format!("default_model = \"openai:no\"\n{EVALUATOR}"),
    );
    let plan = world.plan("o.toml");
    assert_eq!(plan.teams[0].name, "All");
    let of = model_team(&plan);
    assert_eq!(
        (
            of.leader.llm.temperature,
            of.leader.llm.stop_sequences.len()
        ),
        (Some(0.9), 2)
    );
    // A member keeps the values that it sets itself.
    assert_eq!(
        (of.members[0].llm.temperature, of.members[0].llm.max_tokens),
        (Some(0.1), Some(77))
    );
    let llm = metric_llm(&plan, 0);
    assert_eq!((llm.model.as_str(), llm.seed), ("openai:env", Some(5)));
    assert_eq!(judge(&world).1.model, "openai:envjudge");
    assert!(!plan.judge_on_final_round);
    assert_eq!(
        plan.prompts.judge.as_deref(),
        Some("judge {{ user_prompt }}")
    );
    let world = mixseek().env("MIXSEEK_TEAM__LEADER__MODEL", "openai:nested");
    assert_eq!(leader(&world).llm.model, "openai:nested");
}

#[test]
fn relative_paths_are_seen_from_the_workspace_whichever_way_it_is_named() {
    let files = |at: &str| {
        World::new()
            .file(&format!("{at}/o.toml"), crate::contest::ORCHESTRATOR)
            .file(&format!("{at}/a.toml"), TEAM)
            .file(&format!("{at}/configs/evaluator.toml"), EVALUATOR)
    };
    let named = [
        files("ws").workspace("ws"),
        files("ws").workspace("/work/project/ws"),
        files("ws").env("MIXSEEK_WORKSPACE", "ws"),
        files("ws").file(".env", "MIXSEEK_WORKSPACE=/work/project/ws\n"),
    ];
    for world in named {
        // Relative to the current directory, and to the workspace as in mixseek.
        for file in ["ws/o.toml", "o.toml", "/work/project/ws/o.toml"] {
            let loaded = world.load(file).unwrap();
            assert_eq!(loaded.workspace, Some("/work/project/ws".into()));
            assert_eq!(loaded.files.len(), 3, "{:?}", loaded.files);
        }
    }
    let inside = "[orchestrator]\nworkspace_path = \"ws\"\nteams = [{ config = \"a.toml\" }]\n";
    let loaded = files("ws").file("x.toml", inside).load("x.toml").unwrap();
    assert_eq!(loaded.workspace, Some("/work/project/ws".into()));
    assert_eq!(mixseek().load("o.toml").unwrap().workspace, None);
}

#[test]
fn a_text_that_is_given_is_not_read() {
    use kumite_formats::contest::{Request, load};
    let request = Request {
        file: "nowhere.toml".as_ref(),
        text: Some(crate::contest::OWN),
        workspace: None,
        dir: ".".as_ref(),
        task: Some("t"),
        timeout: None,
        lenient: false,
    };
    let nothing = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    assert!(load(&request, &nothing, &|_| None).is_ok());
}
