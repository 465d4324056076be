//! What a score is, and what a failing evaluator costs a team (D6, D9).

use kumite_fake_model::Act;
use serde_json::json;

use super::arena::{Arena, Files};
use super::play::{Play, Role, error, once, say, score};
use crate::world::{World, is_alive, lines, text};

#[test]
fn d9_s8_an_evaluator_that_fails_in_round_2_disqualifies_and_the_good_round_stays_marked() {
    let play = Play::new()
        .scores("alpha", &[90.0])
        .evaluator("alpha", 2, vec![error(400)])
        .scores("beta", &[50.0, 60.0]);
    let arena = Files::of(&["alpha", "beta"]).rounds(2, 2).play(play);
    arena.run().assert_code(1);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 90 true evaluator_failure",
            "beta 1 50 false null",
            "beta 2 60 true max_rounds_reached",
        ]
    );
    assert_eq!(
        arena.team_status(),
        [
            "alpha disqualified evaluator_failure",
            "beta done max_rounds_reached"
        ]
    );
    let message = arena.rows("message", "team_status WHERE team_id = 'alpha'");
    assert!(message[0].contains("it is broken"), "{message:?}");
    // It is listed without a rank, and the other team wins though its score is lower.
    assert_eq!(arena.summary(), ["partial_failure beta 2"]);
    let team = arena.team("alpha");
    assert_eq!(
        (&team["rank"], &team["score"]),
        (&json!(null), &json!(90.0))
    );
    assert_eq!(arena.board()["winner"], "beta");
    // The first try, and three more.
    assert_eq!(arena.count(Role::Evaluator, "alpha", 2), 4);
    assert_eq!(arena.count(Role::Judge, "alpha", 2), 0);
}

#[test]
fn d9_s9_an_evaluator_that_fails_in_round_1_leaves_nothing_but_the_history() {
    let play = Play::new().evaluates(vec![error(400)]);
    let arena = Files::of(&["alpha"]).rounds(2, 5).play(play);
    arena.run().assert_code(4);
    assert_eq!(arena.leader_board(), [""; 0]);
    assert_eq!(
        arena.rows("team_id, round_number", "round_history"),
        ["alpha 1"]
    );
    assert_eq!(arena.round_status(), ["alpha 1 null"]);
    assert_eq!(
        arena.team_status(),
        ["alpha disqualified evaluator_failure"]
    );
    assert_eq!(arena.summary(), ["failed null 1"]);
    assert_eq!(arena.counts(), [1, 4, 0]);
    let board = arena.board();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&json!("failed"), &json!(null))
    );
}

/// One team for each kind of invalid answer, and one that is scored.
#[test]
fn d6_an_answer_that_is_no_score_from_0_to_100_is_asked_for_four_times_and_disqualifies() {
    let result = |value| Act::Result { value };
    let answers = [
        ("prose", say("It is a good text, I would say.")),
        (
            "word",
            result(json!({"score": "high", "evaluator_comment": ""})),
        ),
        (
            "digits",
            result(json!({"score": "70", "evaluator_comment": ""})),
        ),
        ("nan", say("{\"score\": NaN, \"evaluator_comment\": \"\"}")),
        (
            "huge",
            result(json!({"score": 1e9, "evaluator_comment": ""})),
        ),
        (
            "above",
            result(json!({"score": 100.01, "evaluator_comment": ""})),
        ),
        (
            "below",
            result(json!({"score": -0.01, "evaluator_comment": ""})),
        ),
        ("none", result(json!({"evaluator_comment": "fine"}))),
    ];
    let mut play = Play::new().scores("top", &[100.0]).scores("zero", &[0.0]);
    for (team, answer) in &answers {
        play = play.evaluator(team, 1, vec![answer.clone()]);
    }
    let teams: Vec<&str> = answers.iter().map(|(team, _)| *team).collect();
    let teams = [&teams[..], &["top", "zero"]].concat();
    let arena = Files::of(&teams).rounds(1, 1).play(play);
    arena.run().assert_code(1);
    assert_eq!(
        arena.leader_board(),
        [
            "top 1 100 true max_rounds_reached",
            "zero 1 0 true max_rounds_reached"
        ]
    );
    for (team, _) in &answers {
        let it = arena.team(team);
        assert_eq!(it["state"], "disqualified", "{it}");
        assert_eq!(it["exit_reason"], "evaluator_failure", "{it}");
        let message = text(&it["message"]);
        assert!(message.contains("cannot be used"), "{message}");
        assert_eq!(arena.count(Role::Evaluator, team, 1), 4, "{team}");
    }
}

#[test]
fn d6_a_score_is_kept_as_it_was_given_and_the_weights_decide_what_they_are_worth_together() {
    let metrics = "[[metrics]]\nname = \"Relevance\"\nweight = 0.75\n\
        system_instruction = \"Be relevant.\"\n\
        [[metrics]]\nname = \"Coverage\"\nweight = 0.25\nsystem_instruction = \"Cover all.\"\n";
    let files = Files::of(&["alpha"]).rounds(1, 1).metrics(metrics);
    let arena = files.play(Play::new());
    let mut script = Play::new().script(arena.teams());
    for (beside, points) in [("Be relevant.", 78.67), ("Cover all.", 40.0)] {
        script.rules.insert(
            0,
            kumite_fake_model::Rule {
                beside: beside.to_owned(),
                acts: vec![score(points)],
                ..kumite_fake_model::Rule::default()
            },
        );
    }
    arena.model.set(script);
    arena.run().assert_code(0);
    // 0.75 * 78.67 + 0.25 * 40 = 69.0025
    assert_eq!(arena.leader_board(), ["alpha 1 69 true max_rounds_reached"]);
    let details = arena.sql("SELECT score_details FROM leader_board");
    let details: serde_json::Value = match &details[0]["score_details"] {
        serde_json::Value::String(text) => serde_json::from_str(text).unwrap(),
        other => other.clone(),
    };
    assert_eq!(
        details,
        json!({"overall_score": 69.0, "metrics": [
            {"metric_name": "Relevance", "score": 78.67, "evaluator_comment": "worth 78.67"},
            {"metric_name": "Coverage", "score": 40.0, "evaluator_comment": "worth 40"},
        ]})
    );
}

#[test]
fn d9_an_evaluator_that_comes_to_its_senses_is_believed() {
    let play = Play::new().evaluator(
        "alpha",
        1,
        vec![
            once(say("prose")),
            once(error(500)),
            once(error(400)),
            score(70.0),
        ],
    );
    let arena = Files::of(&["alpha"]).rounds(1, 1).play(play);
    arena.run().assert_code(0);
    assert_eq!(arena.leader_board(), ["alpha 1 70 true max_rounds_reached"]);
    assert_eq!(arena.count(Role::Evaluator, "alpha", 1), 4);
}

#[test]
fn d9_no_retries_means_one_try() {
    let play = Play::new()
        .evaluator("alpha", 2, vec![say("prose")])
        .judges(vec![error(400)]);
    let arena = Files::of(&["alpha"])
        .rounds(1, 3)
        .evaluator("max_retries = 0")
        .judgment("max_retries = 0")
        .play(play);
    arena.run().assert_code(4);
    assert_eq!(
        arena.team_status(),
        ["alpha disqualified evaluator_failure"]
    );
    // The judge could not be asked after round 1, so there was a round 2.
    assert_eq!(arena.counts(), [2, 2, 1]);
}

/// A metric that is a program: it answers the content of `score.txt`, and counts its calls.
fn by_program(answer: &str) -> Arena {
    let world = World::new();
    world.write(
        "contest.toml",
        "task = \"Do it.\"\n[contest]\nrounds_min = 1\nrounds_max = 1\n\
         [[team]]\nid = \"alpha\"\nscripted = \"steady\"\n\
         [[metric]]\nname = \"own\"\ncommand = [\"sh\", \"-c\", \
         \"echo asked >> $KUMITE_PROJECT/count; cat $KUMITE_PROJECT/answer\"]\n",
    );
    world.write("answer", answer);
    Arena::at(world, &[], Play::new())
}

#[test]
fn d6_s22_a_metric_of_ones_own_below_0_or_above_100_is_an_evaluator_error() {
    for answer in [
        "{\"score\": -3}",
        "{\"score\": 250.5}",
        "{\"score\": null}",
        "nothing",
    ] {
        let arena = by_program(answer);
        let out = arena.contest(&["run", "contest.toml", "--json"]);
        out.assert_code(4);
        let ended = out.notices("team_ended").pop().unwrap();
        assert_eq!(ended["exit_reason"], "evaluator_failure", "{ended}");
        assert_eq!(arena.world.read("count").lines().count(), 4, "{answer}");
        assert_eq!(arena.leader_board(), [""; 0]);
    }
    let arena = by_program("thinking\n{\"score\": 99.5, \"remarks\": \"good\"}");
    let out = arena.contest(&["run", "contest.toml", "--json"]);
    out.assert_code(0);
    assert_eq!(
        lines(&out.stdout).last().unwrap()["teams"][0]["score"],
        99.5
    );
    assert_eq!(arena.world.read("count").lines().count(), 1);
}

/// A metric whose program leaves a process with another session and no environment, and then runs
/// `then`.
fn leaving(then: &str) -> World {
    let world = World::new();
    world.write(
        "leave.sh",
        &format!(
            "( setsid env -i sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000' \
             >/dev/null 2>&1 & )\nwhile [ ! -e pid ]; do sleep 0.01; done\n{then}\n"
        ),
    );
    world.write(
        "contest.toml",
        "task = \"Do it.\"\n[contest]\nrounds_min = 1\nrounds_max = 1\n\
         [[team]]\nid = \"alpha\"\nscripted = \"steady\"\n\
         [[metric]]\nname = \"own\"\ncommand = [\"sh\", \"leave.sh\"]\n",
    );
    world
}

fn left_behind(world: &World) -> u32 {
    world.read("pid").trim().parse().unwrap()
}

#[test]
fn room_10_what_a_metric_leaves_in_the_background_is_gone_after_the_round() {
    let world = leaving("echo '{\"score\": 50}'");
    world
        .kumite(&["contest", "run", "contest.toml"])
        .assert_code(0);
    assert!(!is_alive(left_behind(&world)));
}

#[test]
fn room_10_what_a_metric_leaves_in_the_background_is_gone_after_a_cancel() {
    let world = leaving("sleep 1000");
    let running = world.start(&["contest", "run", "contest.toml"]);
    world.wait_for("pid");
    world.kumite(&["contest", "cancel"]).assert_code(0);
    running.wait().assert_code(4);
    assert!(!is_alive(left_behind(&world)));
}

/// As in mixseek: a Python class, which may return any number.
const OWN: &str = "
class Own:
    async def evaluate(self, user_query, submission, execution_id, team_id, round_number):
        open('asked-' + team_id, 'a').write('x')
        score = {'below': -5, 'above': 250.0, 'good': 61.5}[team_id]
        return {'score': score, 'evaluator_comment': submission.strip().upper()}
";

#[test]
fn d6_s22_a_metric_in_python_below_0_or_above_100_is_an_evaluator_error() {
    let metrics = "[[metrics]]\nname = \"Own\"\nweight = 1.0\n\
        [custom_metrics]\nOwn = { module = \"own_metric\", class = \"Own\" }\n";
    let arena = Files::of(&["below", "above", "good"])
        .rounds(1, 1)
        .metrics(metrics)
        .play(Play::new());
    arena.world.write("own_metric.py", OWN);
    arena.run().assert_code(1);
    assert_eq!(
        arena.leader_board(),
        ["good 1 61.5 true max_rounds_reached"]
    );
    let details = arena.rows("score_details", "leader_board");
    assert!(details[0].contains("GOOD ROUND 1."), "{details:?}");
    assert_eq!(
        arena.team_status(),
        [
            "above disqualified evaluator_failure",
            "below disqualified evaluator_failure",
            "good done max_rounds_reached",
        ]
    );
    for (team, tries) in [("below", 4), ("above", 4), ("good", 1)] {
        assert_eq!(
            arena.world.read(&format!("asked-{team}")).len(),
            tries,
            "{team}"
        );
    }
}

#[test]
fn d6_programs_measure_first_and_a_veto_spares_the_model() {
    let world = World::new();
    world.write(
        "contest.toml",
        "task = \"Do it.\"\n[contest]\nrounds_min = 2\nrounds_max = 2\n\
         [[team]]\nid = \"alpha\"\nmodel = \"openai:fake\"\nsystem = \"You are team alpha.\"\n\
         [[metric]]\nname = \"Relevance\"\nmodel = \"openai:fake\"\nweight = 0.5\n\
         [[metric]]\nname = \"tests\"\nweight = 0.5\nveto_below = 1.0\ncommand = [\"sh\", \"-c\", \
         \"if grep -q 'round 1'; then echo '{\\\"score\\\": 0, \\\"remarks\\\": \\\"red\\\"}'; \
         else echo '{\\\"score\\\": 80}'; fi\"]\n",
    );
    let play = Play::new().scores("alpha", &[100.0, 60.0]);
    let arena = Arena::at(world, &["alpha".to_owned()], play);
    arena.contest(&["run", "contest.toml"]).assert_code(0);
    assert_eq!(
        arena.leader_board(),
        ["alpha 1 0 false null", "alpha 2 70 true max_rounds_reached"]
    );
    assert_eq!(arena.count(Role::Evaluator, "alpha", 1), 0);
    assert_eq!(arena.count(Role::Evaluator, "alpha", 2), 1);
    let prompt = arena.prompt("alpha", 2);
    assert!(
        prompt.contains("tests: 0.00/100") && prompt.contains("red"),
        "{prompt}"
    );
}
