//! Files that cannot be played are refused before a cent is spent (D10, and bad input).

use super::arena::{Arena, FILE, Files, TASK};
use super::play::Play;
use crate::world::{Out, World};

fn files() -> Files {
    Files::of(&["alpha", "beta"]).rounds(1, 1)
}

/// Refused with these words, in a dry run and without one; no request was made, nothing was
/// created.
#[track_caller]
fn assert_refused(arena: &Arena, task: &str, words: &[&str]) {
    for more in [&["--dry-run"][..], &[]] {
        let args = [&["run", FILE, task], more].concat();
        let out = arena.contest(&args);
        assert!([2, 5].contains(&out.code), "{out:?}");
        let said = format!("{}{}", out.stdout, out.stderr);
        for word in words {
            assert!(said.contains(word), "{word}: {out:#?}");
        }
    }
    assert_nothing_happened(arena);
}

#[track_caller]
fn assert_nothing_happened(arena: &Arena) {
    assert_eq!(arena.model.requests().len(), 0);
    assert!(!arena.world.path("mixseek.db").exists());
    assert_eq!(arena.homes().len(), 0);
}

#[test]
fn s12_weights_that_do_not_add_up_to_1_are_refused() {
    let metrics = "[[metrics]]\nname = \"Relevance\"\nweight = 0.5\n\
        [[metrics]]\nname = \"Coverage\"\nweight = 0.666\n";
    let arena = files().metrics(metrics).play(Play::new());
    assert_refused(
        &arena,
        TASK,
        &["1.166", "configs/evaluator.toml:", "add up to 1"],
    );
}

#[test]
fn s13_team_ids_that_are_there_twice_are_refused() {
    let arena = files().play(Play::new());
    let beta = arena.world.read("configs/agents/beta.toml");
    let beta = beta.replace("team_id = \"beta\"", "team_id = \"alpha\"");
    arena.world.write("configs/agents/beta.toml", &beta);
    assert_refused(
        &arena,
        TASK,
        &["\"alpha\"", "twice", "configs/agents/beta.toml:2"],
    );
}

#[test]
fn d10_s20_numbers_of_rounds_that_make_no_sense_are_refused() {
    let at = "configs/orchestrator.toml:";
    for (keys, words) in [
        ("max_rounds = 11", &["max_rounds", "11", "10", at][..]),
        ("max_rounds = 0", &["max_rounds", "0", at]),
        ("max_rounds = 1", &["min_rounds", "max_rounds", at]),
        (
            "min_rounds = 4\nmax_rounds = 3",
            &["min_rounds", "max_rounds", "4", "3", at],
        ),
        ("min_rounds = 0", &["min_rounds", "0", at]),
        (
            "submission_timeout_seconds = 0",
            &["submission_timeout_seconds", at],
        ),
        ("max_concurrent_teams = 0", &["max_concurrent_teams", at]),
        (
            "timeout_per_team_seconds = 5",
            &["timeout_per_team_seconds", "10", at],
        ),
    ] {
        let arena = Files::of(&["alpha"]).orchestrator(keys).play(Play::new());
        assert_refused(&arena, TASK, words);
    }
}

#[test]
fn a_key_that_is_not_known_is_refused_with_its_line_and_the_nearest_one() {
    let arena = files().orchestrator("max_round = 3").play(Play::new());
    assert_refused(
        &arena,
        TASK,
        &["configs/orchestrator.toml:6", "max_round", "max_rounds"],
    );
    let out = arena.run_with(&["--lenient"]);
    out.assert_code(0);
    assert!(out.stderr.contains("max_round"), "{out:?}");
}

#[test]
fn an_empty_task_is_refused() {
    let arena = files().play(Play::new());
    for task in ["", " \n "] {
        assert_refused(&arena, task, &["task"]);
    }
    let out = arena.contest(&["run", FILE]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("task"), "{out:?}");
    assert_nothing_happened(&arena);
}

#[test]
fn a_missing_key_is_refused_and_named() {
    for (team, place) in [
        ("openai", "configs/judgment.toml:1"),
        ("anthropic", "configs/agents/alpha.toml:5"),
    ] {
        let mut arena = files().play(Play::new());
        let alpha = arena.world.read("configs/agents/alpha.toml");
        let alpha = alpha.replace("openai:fake", &format!("{team}:fake"));
        arena.world.write("configs/agents/alpha.toml", &alpha);
        arena.set_env("OPENAI_API_KEY", "");
        arena.set_env("ANTHROPIC_API_KEY", "");
        let variable = format!("{}_API_KEY", team.to_uppercase());
        assert_refused(&arena, TASK, &[&variable, place]);
    }
}

#[test]
fn a_provider_or_a_metric_that_nobody_knows_is_refused() {
    for (file, from, to, words) in [
        (
            "configs/agents/beta.toml",
            "openai:fake",
            "opnai:fake",
            &["opnai", "openai"][..],
        ),
        (
            "configs/agents/beta.toml",
            "openai:fake",
            "fake",
            &["fake", "provider"],
        ),
        (
            "configs/judgment.toml",
            "openai:fake",
            "nobody:x",
            &["nobody"],
        ),
        (
            "configs/evaluator.toml",
            "Relevance",
            "Relevence",
            &["Relevence", "Relevance"],
        ),
        (
            "configs/evaluator.toml",
            "[[metrics]]\nname = \"Relevance\"\nweight = 1.0",
            "",
            &["metrics"],
        ),
    ] {
        let arena = files().play(Play::new());
        let text = arena.world.read(file);
        assert!(text.contains(from), "{text}");
        arena.world.write(file, &text.replace(from, to));
        let words = [&[file], words].concat();
        assert_refused(&arena, TASK, &words);
    }
}

#[test]
fn d2_a_template_that_cannot_be_rendered_is_refused() {
    for (template, words) in [
        ("{% if %}", &["configs/prompts.toml:2", "line 1"][..]),
        (
            "Task\n{{ user_promt }}",
            &["configs/prompts.toml:2", "user_promt"],
        ),
        (
            "{{ submission_history | nosuch }}",
            &["configs/prompts.toml:2", "nosuch"],
        ),
    ] {
        let keys = "prompt_builder_config = \"configs/prompts.toml\"";
        let arena = files().orchestrator(keys).play(Play::new());
        let text = format!("[prompt_builder]\nteam_user_prompt = '''{template}'''\n");
        arena.world.write("configs/prompts.toml", &text);
        assert_refused(&arena, TASK, words);
    }
}

#[test]
fn a_file_that_is_missing_or_broken_is_refused_with_its_name() {
    let arena = files().play(Play::new());
    std::fs::remove_file(arena.world.path("configs/agents/beta.toml")).unwrap();
    assert_refused(
        &arena,
        TASK,
        &["configs/agents/beta.toml", "orchestrator.toml:"],
    );

    let arena = files().play(Play::new());
    arena
        .world
        .write("configs/agents/beta.toml", "[team\nteam_id = 1\n");
    assert_refused(&arena, TASK, &["configs/agents/beta.toml:1"]);
}

#[test]
fn a_dry_run_of_good_files_says_so_and_makes_nothing() {
    let arena = files().play(Play::new());
    let out = arena.run_with(&["--dry-run"]);
    out.assert_code(0);
    for words in ["orchestrator", "ok"] {
        assert!(out.stdout.contains(words), "{out:#?}");
    }
    let out = arena.run_with(&["--dry-run", "--json"]);
    out.assert_code(0);
    let checks: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    assert!(
        checks["categories"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
        "{checks}"
    );
    assert_nothing_happened(&arena);
}

#[test]
fn a_dry_run_of_bad_files_says_what_is_wrong_as_json_too() {
    let arena = files().orchestrator("max_round = 3").play(Play::new());
    let out = arena.run_with(&["--dry-run", "--json"]);
    out.assert_code(5);
    let report: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    let checks = report["categories"].as_array().unwrap().iter();
    let mut checks = checks.flat_map(|it| it["checks"].as_array().unwrap());
    let wrong = checks.find(|it| it["status"] == "error").unwrap();
    assert!(
        wrong["message"].to_string().contains("max_rounds"),
        "{report}"
    );
    assert_nothing_happened(&arena);
}

#[test]
fn d10_s19_the_environment_wins_over_the_file() {
    let mut arena = Files::of(&["alpha"]).rounds(1, 2).play(Play::new());
    arena.set_env("MIXSEEK_MAX_ROUNDS", "4");
    arena.set_env("MIXSEEK_MIN_ROUNDS", "4");
    arena.run().assert_code(0);
    assert_eq!(arena.counts(), [4, 4, 1]);
    arena.set_env("MIXSEEK_MAX_ROUNDS", "11");
    let out = arena.run();
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("MIXSEEK_MAX_ROUNDS"), "{out:?}");
    assert_eq!(arena.counts(), [4, 4, 1]);
}

#[test]
fn s23_a_workspace_may_be_relative() {
    for by_flag in [true, false] {
        let world = World::new();
        let files = Files::of(&["alpha"]).rounds(1, 1);
        files.write(&world, "ws/");
        let mut arena = Arena::at(world, &["alpha".to_owned()], Play::new());
        let run = |arena: &Arena, args: &[&str]| -> Out { arena.contest(args) };
        let out = match by_flag {
            true => {
                arena
                    .world
                    .env
                    .retain(|(name, _)| name != "MIXSEEK_WORKSPACE");
                run(&arena, &["run", FILE, TASK, "--workspace", "ws"])
            }
            false => {
                arena.set_env("MIXSEEK_WORKSPACE", "ws");
                run(&arena, &["run", FILE, TASK])
            }
        };
        out.assert_code(0);
        assert!(arena.world.path("ws/mixseek.db").exists());
        assert!(!arena.world.path("ws/ws").exists());
        arena.set_env("MIXSEEK_WORKSPACE", "ws");
        assert_eq!(arena.leader_board(), ["alpha 1 50 true max_rounds_reached"]);
    }
}

#[test]
fn every_provider_is_reached_where_its_own_variable_says() {
    let teams = [
        "anthropic",
        "google-gla",
        "grok",
        "groq",
        "ollama",
        "openai",
    ];
    let mut arena = Files::of(&teams).rounds(1, 1).play(Play::new());
    let url = arena.model.url();
    for (name, value) in [
        ("ANTHROPIC_BASE_URL", url.clone()),
        ("ANTHROPIC_API_KEY", "sk-ant-test".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", url.clone()),
        (
            "GOOGLE_API_KEY",
            "AIza-test-0123456789-0123456789".to_owned(),
        ),
        ("GROK_BASE_URL", format!("{url}/v1")),
        ("GROK_API_KEY", "xai-test".to_owned()),
        ("GROQ_BASE_URL", format!("{url}/v1")),
        ("GROQ_API_KEY", "gsk-test".to_owned()),
        ("OLLAMA_HOST", url.clone()),
    ] {
        arena.set_env(name, &value);
    }
    let put = |file: &str, provider: &str| {
        let text = arena.world.read(file);
        let text = text.replace("openai:fake", &format!("{provider}:fake"));
        arena.world.write(file, &text);
    };
    for team in teams {
        put(&format!("configs/agents/{team}.toml"), team);
    }
    put("configs/evaluator.toml", "google-gla");
    put("configs/judgment.toml", "anthropic");
    arena.run().assert_code(0);
    let rows = arena.rows("team_id, score", "leader_board ORDER BY team_id");
    assert_eq!(rows, teams.map(|team| format!("{team} 50")));
    let said = arena.rows("reasoning", "(SELECT DISTINCT reasoning FROM round_status)");
    assert_eq!(said, ["there is more to gain"]);
}

#[test]
fn the_examples_in_the_shape_of_mixseeks_own_pass_the_dry_run_and_nothing_is_made() {
    let mut world = World::new();
    let key = "AIzaSyA-not-a-real-key-0123456789";
    world
        .env
        .push(("GOOGLE_API_KEY".to_owned(), key.to_owned()));
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mixseek");
    let workspace = world.path("workspace");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([examples.as_ref(), workspace.as_os_str()])
        .status();
    assert!(copied.unwrap().success());
    for file in ["configs/one_team.toml", "configs/three_teams.toml"] {
        let task = "What happened today?";
        let args = ["contest", "run", file, task, "--workspace", "workspace"];
        let out = world.kumite(&[&args[..], &["--dry-run"]].concat());
        out.assert_code(0);
        assert!(!out.stdout.contains("error"), "{out:?}");
    }
    assert!(!world.path("workspace/mixseek.db").exists());
    assert!(!world.path("workspace/.kiro").exists());
}
