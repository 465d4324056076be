//! The contest of the demo: five built-in teams, five rounds, a checklist, and the rule-based judge.

use kumite_formats::contest::{
    Checklist, Evaluator, Judge, Metric, MetricKind, Plan, Prompts, Style, Team, TeamKind,
};

use crate::teams::scripted::words;

const TASK: &str = "Write a short guide to `tidy`, a command-line tool that sorts the files of a \
    directory: what a newcomer needs, what can go wrong, and how to undo it.";

/// `pace_ms`: the shortest time of a round.
pub fn plan(pace_ms: u64) -> Plan {
    let team = |(id, name, style): (&str, &str, Style)| Team {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: TeamKind::Scripted { style, pace_ms },
    };
    let teams = [
        ("aoi", "Aoi", Style::Steady),
        ("bairei", "Bairei", Style::Quick),
        ("chidori", "Chidori", Style::Noisy),
        ("daichi", "Daichi", Style::Late),
        ("enju", "Enju", Style::Flat),
    ];
    let mut basics = words();
    let care = basics.split_off(5);
    let metric = |name: &str, weight, words: Vec<String>| Metric {
        name: name.to_owned(),
        weight,
        kind: MetricKind::Checklist(Checklist { words }),
    };
    Plan {
        task: TASK.to_owned(),
        teams: teams.map(team).into(),
        evaluator: Evaluator {
            metrics: vec![
                metric("basics", 400_000, basics),
                metric("care", 600_000, care),
            ],
        },
        judge: Judge::Rules,
        judge_on_final_round: true,
        prompts: Prompts::default(),
        rounds_min: 2,
        rounds_max: 5,
        teams_max: None,
        submission_timeout_ms: 300_000,
        judgment_timeout_ms: 60_000,
        team_timeout_ms: None,
        contest_timeout_ms: None,
        submission_retries: 3,
        budget_usd: None,
        prices: Default::default(),
        history_chars: 200_000,
    }
}
