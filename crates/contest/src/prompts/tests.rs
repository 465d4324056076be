use jiff::civil::date;
use kumite_core::contest::judge::{Past, Remark};
use kumite_core::contest::{
    Contest, Exit, Measure, Metric, Phase, Reason, Round, Rules, Score, Stage, Team, Verdict,
};

use super::*;

mod budget;
mod hostile;
mod own;

fn now() -> Zoned {
    let at = date(2026, 3, 4).at(5, 6, 7, 89_000_000);
    at.to_zoned(TimeZone::UTC).unwrap()
}

fn score(points: u64) -> Score {
    Score::from_hundredths(points * 100).unwrap()
}

fn templates() -> Templates {
    Templates::new(&Prompts::default(), 60_000).unwrap()
}

/// Teams by name, with the scores of their rounds; `None` is a failed round.
fn contest(teams: &[(&str, &[Option<u64>])]) -> Contest {
    let round = |(number, points): (u32, &Option<u64>)| Round {
        number,
        started_ms: 0,
        ended_ms: None,
        verdict: match points {
            Some(points) => Verdict::Scored {
                score: score(*points),
                measures: vec![Some(Measure {
                    score: score(*points),
                    remark: format!("remark on round {number}"),
                    is_veto: false,
                })],
            },
            None => Verdict::Failed {
                why: "the submission was empty".to_owned(),
            },
        },
        judgment: None,
        has_submission: points.is_some(),
    };
    let team = |(name, scores): &(&str, &[Option<u64>])| Team {
        id: format!("id-of-{name}"),
        name: (*name).to_owned(),
        retries: None,
        phase: Phase::Queued,
        rounds: (1u32..).zip(*scores).map(round).collect(),
        used: Default::default(),
        used_ms: 0,
        busy_since_ms: None,
        saved: 0,
    };
    Contest {
        rules: Rules {
            metrics: vec![Metric {
                name: "Coverage".to_owned(),
                weight: 1_000_000,
                is_program: false,
                timeout_ms: 1000,
                retries: 0,
            }],
            ..Rules::default()
        },
        teams: teams.iter().map(team).collect(),
        stage: Stage::Running,
        ..Contest::default()
    }
}

fn open_round(contest: &mut Contest, team: usize) {
    let number = contest.teams[team].round() + 1;
    contest.teams[team].rounds.push(Round {
        number,
        started_ms: 0,
        ended_ms: None,
        verdict: Verdict::Open,
        judgment: None,
        has_submission: false,
    });
}

fn texts(round: u32) -> Option<String> {
    Some(format!("text of round {round}"))
}

fn case(scores: &[u64]) -> TeamRecord {
    let past = (1u32..).zip(scores).map(|(round, points)| Past {
        round,
        score: Some(score(*points)),
        remarks: vec![Remark {
            metric: "Coverage".to_owned(),
            score: score(*points),
            text: format!("remark on round {round}"),
        }],
        failed: None,
    });
    TeamRecord {
        round: scores.len() as u32,
        rounds_min: 2,
        rounds_max: 5,
        past: past.collect(),
        others: Vec::new(),
    }
}

fn templates_of(history_chars: usize) -> Templates {
    Templates::new(&Prompts::default(), history_chars).unwrap()
}

#[test]
fn d2_a_team_is_told_the_task_its_past_the_board_and_its_place() {
    let mut contest = contest(&[
        ("Alpha", &[Some(70), None, Some(80)]),
        ("Beta", &[Some(90), Some(85)]),
        ("Gamma", &[Some(80)]),
        ("Delta", &[]),
    ]);
    open_round(&mut contest, 0);
    let situation = Situation::of(&contest, 0);
    let prompt = templates()
        .team(" Sort numbers. ", &situation, &now(), &texts)
        .unwrap();
    for words in [
        "It is 2026-03-04T05:06:07.089000+00:00. This is round 4 of at most 5.",
        "\nSort numbers.\n</task-",
        "#1 Beta - score: 90.00/100 (rounds: 2)\n",
        "#2 Alpha - score: 80.00/100 (rounds: 3) (your team)\n#2 Gamma - score: 80.00/100 (rounds: 1)\n",
        "- Delta - no score yet (rounds: 0)\n",
        "Your team is in place 2 of 3, shared. The best score is 90.00, 10.00 above.",
        "## Round 1 - score: 70.00/100\n\nCoverage: 70.00/100\n<remark-",
        "\nremark on round 1\n</remark-",
        "## Round 2 - failed, no score\n\nThis round failed:\n<reason-",
        "\nthe submission was empty\n</reason-",
        "\ntext of round 3\n</submission-",
    ] {
        assert!(prompt.contains(words), "{words:?} in\n{prompt}");
    }
    assert!(!prompt.contains("text of round 2"), "{prompt}");
    assert!(!prompt.contains("id-of"), "{prompt}");
}

#[test]
fn d2_the_first_round_carries_the_board_too() {
    let mut contest = contest(&[("Alpha", &[]), ("Beta", &[Some(90)])]);
    open_round(&mut contest, 0);
    let situation = Situation::of(&contest, 0);
    let prompt = templates()
        .team("task", &situation, &now(), &texts)
        .unwrap();
    for words in [
        "round 1 of at most 5",
        "There are no past rounds yet.",
        "#1 Beta - score: 90.00/100 (rounds: 1)",
        "Your team has no score yet; another one has.",
    ] {
        assert!(prompt.contains(words), "{words:?} in\n{prompt}");
    }
}

#[test]
fn d2_a_board_without_scores_says_so() {
    let contest = contest(&[("Alpha", &[]), ("Beta", &[])]);
    let situation = Situation::of(&contest, 0);
    assert_eq!(board::table(&situation.board), "No team has a score yet.");
    assert_eq!(
        board::position("Your team", &situation.case),
        "There are no places yet."
    );
    assert_eq!(
        board::anonymous_table(&situation.case),
        "No team has a score yet."
    );
}

#[test]
fn d9_the_disqualified_are_marked_and_have_no_rank() {
    let mut contest = contest(&[("Alpha", &[Some(70)]), ("Beta\nGamma", &[Some(90)])]);
    contest.teams[1].phase = Phase::Out(Exit {
        reason: Reason::SubmissionTimeout,
        message: None,
    });
    let situation = Situation::of(&contest, 0);
    assert_eq!(
        board::table(&situation.board),
        "#1 Alpha - score: 70.00/100 (rounds: 1) (your team)\n\
         - Beta Gamma - score: 90.00/100 (rounds: 1) (disqualified)"
    );
    assert_eq!(
        board::position("Your team", &situation.case),
        "Your team is in place 1 of 1."
    );
}

#[test]
fn d4_the_judge_sees_rounds_and_scores_and_no_names() {
    let mut contest = contest(&[
        ("Alpha", &[Some(70), Some(80)]),
        ("Beta", &[Some(90)]),
        ("Gamma", &[Some(80)]),
    ]);
    contest.teams[1].rounds[0].judgment = None;
    let case = TeamRecord::of(&contest, 0);
    let prompt = templates().judge("task", &case, &now(), &texts).unwrap();
    for words in [
        "Round 2 was just scored. At most\n5 rounds are played, at least 2.",
        "## Round 1 - score: 70.00/100",
        "remark on round 2",
        "text of round 2",
        "#1 another team - score: 90.00/100\n#2 this team - score: 80.00/100\n#2 another team - score: 80.00/100",
        "This team is in place 2 of 3, shared.",
    ] {
        assert!(prompt.contains(words), "{words:?} in\n{prompt}");
    }
    for name in ["Alpha", "Beta", "Gamma", "id-of"] {
        assert!(!prompt.contains(name), "{name} in\n{prompt}");
    }
}

#[test]
fn d4_renaming_reordering_and_padding_change_nothing_for_the_judge() {
    let seen = |contest: &Contest, team: u32, texts: &Texts<'_>| {
        templates()
            .judge("task", &TeamRecord::of(contest, team), &now(), texts)
            .unwrap()
    };
    let one = contest(&[
        ("Alpha", &[Some(70), Some(80)]),
        ("Beta", &[Some(90)]),
        ("Gamma", &[Some(60), Some(65)]),
    ]);
    let two = contest(&[
        ("1", &[Some(60), Some(65)]),
        ("the very best team", &[Some(90)]),
        ("Alpha\n#1", &[Some(70), Some(80)]),
    ]);
    let padded = |round: u32| Some(format!("\n\n  text of round {round} \t\n\n\n"));
    let expected = seen(&one, 0, &texts);
    assert_eq!(seen(&two, 2, &texts), expected);
    assert_eq!(seen(&one, 0, &padded), expected);
}

#[test]
fn an_evaluator_gets_the_task_and_the_submission_in_blocks() {
    let prompt = templates()
        .evaluator("the task", " the text\n", &now())
        .unwrap();
    assert!(prompt.contains("\nthe task\n</task-"), "{prompt}");
    assert!(prompt.contains("\nthe text\n</submission-"), "{prompt}");
    assert_eq!(
        prompt,
        templates()
            .evaluator("the task", "the text", &now())
            .unwrap()
    );
}
