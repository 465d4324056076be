//! The files in `examples/` are read unchanged.

use std::fs;
use std::path::Path;

use kumite_formats::contest::{Loaded, MemberKind, Request, Rubric, TeamKind, load};
use kumite_formats::contest::{MetricKind, Problem};

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

fn workspace(file: &str) -> Loaded {
    let request = Request {
        file: Path::new(file),
        text: None,
        workspace: Some(Path::new("mixseek")),
        dir: examples(),
        task: Some("what happened?"),
        timeout: None,
        lenient: false,
    };
    let read = |path: &Path| fs::read_to_string(path);
    load(&request, &read, &|_| None).unwrap_or_else(|problems| {
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        panic!("{}", lines.join("\n"))
    })
}

#[test]
fn a_workspace_of_mixseek_is_read_as_it_is() {
    for (file, teams) in [
        ("configs/one_team.toml", 1),
        ("configs/three_teams.toml", 3),
    ] {
        let loaded = workspace(file);
        let plan = &loaded.plan;
        assert_eq!(plan.teams.len(), teams);
        assert_eq!(loaded.files.len(), teams + 3);
        let weights: Vec<u32> = plan
            .evaluator
            .metrics
            .iter()
            .map(|one| one.weight)
            .collect();
        assert_eq!(weights, [300_000, 250_000, 200_000, 250_000]);
        let novelty = &plan.evaluator.metrics[3].kind;
        assert!(
            matches!(novelty, MetricKind::Llm { rubric: Rubric::Plain, system_instruction: Some(text), .. } if text.contains("surprise"))
        );
        for team in &plan.teams {
            let TeamKind::Model(team) = &team.kind else {
                panic!("a model team");
            };
            assert!(matches!(
                team.members[0].kind,
                MemberKind::WebSearch {
                    max_results: Some(_)
                }
            ));
        }
        // Two keys of each team's search, which the provider does by itself.
        let said: Vec<String> = loaded.warnings.iter().map(Problem::to_string).collect();
        assert_eq!(said.len(), teams * 2, "{said:?}");
        assert!(
            said.iter().all(|line| line.contains("has no effect")),
            "{said:?}"
        );
    }
}

#[test]
fn no_file_of_the_workspace_is_left_out() {
    let loaded = [
        workspace("configs/one_team.toml"),
        workspace("configs/three_teams.toml"),
    ];
    let read: Vec<_> = loaded.iter().flat_map(|one| &one.files).collect();
    let mut dirs = vec![examples().join("mixseek/configs")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => dirs.push(path),
                false => assert!(read.contains(&&path), "{}", path.display()),
            }
        }
    }
}
