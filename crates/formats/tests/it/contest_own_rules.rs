//! What is refused in a `contest.toml`, with the line.

use kumite_formats::contest::{Style, TeamKind};

use crate::contest::{OWN, TEAM, World, own, refused};
use crate::contest_own::{FILE, contest, kind};

#[test]
fn scripted_teams_have_a_known_style() {
    for style in Style::ALL {
        let text = OWN.replace("steady", style.name());
        assert!(
            matches!(kind(&contest(&text).plan(FILE), 0), TeamKind::Scripted { style: is, .. } if *is == style)
        );
    }
    refused(
        FILE,
        &[(
            contest(&OWN.replace("steady", "fast")),
            "contest.toml:1: `team.scripted` must be \"steady\" or \"quick\" or \"noisy\" or \"late\" \
             or \"flat\", not \"fast\"",
        )],
    );
}

#[test]
fn a_contest_with_a_mistake_is_refused_with_its_line() {
    let one_of = "give it exactly one of `agent`, `model`, `scripted` and `config`";
    let file = "must be \"text\", \"diff\", or \"file:PATH\" with a path inside the worktree";
    let metric = |keys: &str| {
        let team = "team = [{ id = \"a\", scripted = \"steady\" }]";
        contest(&format!("{team}\n[[metric]]\n{keys}\n"))
    };
    let team = |keys: &str| {
        contest(&format!(
            "metric = [{{ name = \"m\", words = [\"w\"] }}]\n[[team]]\n{keys}\n"
        ))
    };
    refused(
        FILE,
        &[
            (
                own("[contest]\nround_max = 3\n"),
                "contest.toml:5: unknown key `contest.round_max`; did you mean `rounds_max`?",
            ),
            (
                own("[contests]\n"),
                "contest.toml:4: unknown key `contests`; did you mean `contest`?",
            ),
            (
                own("[contest]\nrounds_max = 11\n"),
                "contest.toml:5: `contest.rounds_max` must be a whole number from 1 to 10, not 11",
            ),
            (
                own("[contest]\nrounds_max = 1\n"),
                "contest.toml:5: `contest.rounds_min` is 2 where it is not given, but \
                 `contest.rounds_max` is 1; set `rounds_min = 1` as well",
            ),
            (
                own("[contest]\nsubmission_timeout = 300\n"),
                "contest.toml:5: `contest.submission_timeout` must be a duration above zero, such as \
                 \"90s\", \"15m\" or \"2h\", not 300",
            ),
            (
                own("[contest]\nbudget_usd = -1\n"),
                "contest.toml:5: `contest.budget_usd` must be a number of US dollars from 0 to \
                 1000000, where 0 means no budget, not -1",
            ),
            (
                contest("metric = [{ name = \"m\", words = [\"w\"] }]\n"),
                "contest.toml: there is no team; add `[[team]]` with an `id` and an `agent` or a \
                 `model`",
            ),
            (
                contest("team = [{ id = \"a\", scripted = \"steady\" }]\n"),
                "contest.toml: there are no metrics; add `[[metric]]` with a `name` and a `command`, \
                 `words` or a `model`",
            ),
            (
                team("id = \"a\""),
                &format!("contest.toml:2: nobody works in this team; {one_of}"),
            ),
            (
                team("id = \"a\"\nagent = \"x\"\nmodel = \"openai:x\""),
                &format!("contest.toml:2: this team has `agent` and `model` at once; {one_of}"),
            ),
            (
                team("id = \" \"\nagent = \"x\""),
                "contest.toml:3: `team.id` must be an id: text that is not blank and has no control \
                 characters, not \" \"",
            ),
            (
                team("id = \"a\"\nagent = \"x\"\n[[team]]\nid = \"a\"\nagent = \"y\""),
                "contest.toml:6: team id \"a\" is used twice; it is also the id at contest.toml:3; \
                 give each team its own",
            ),
            (
                team("id = \"a\"\nagent = \"x\"\nsubmission = \"file:../x\""),
                &format!("contest.toml:5: `team.submission` {file}, not \"file:../x\""),
            ),
            (
                team("id = \"a\"\nagent = \"x\"\nsubmission = \"file:/etc/x\""),
                &format!("contest.toml:5: `team.submission` {file}, not \"file:/etc/x\""),
            ),
            (
                team("id = \"a\"\nagent = \"x\"\ntemperature = 1"),
                "contest.toml:5: `team.temperature` is no key of a team with `agent`; did you mean \
                 `worktree`?",
            ),
            (
                team(
                    "id = \"a\"\nmodel = \"openai:x\"\n[[team.member]]\nname = \"m\"\nkind = \"command\"",
                ),
                "contest.toml:5: `team.member.command` is missing",
            ),
            (
                team(
                    "id = \"a\"\nmodel = \"openai:x\"\n[[team.member]]\nname = \"m\"\nkind = \"command\"\ncommand = [\"\"]",
                ),
                "contest.toml:8: `team.member.command` names no program; write a list: \
                 [\"./score.sh\", \"argument\"]",
            ),
            (
                team(
                    "id = \"a\"\nmodel = \"openai:x\"\n[[team.member]]\nname = \"m\"\nkind = \"web_search\"",
                ),
                "contest.toml:5: a member of kind \"web_search\" cannot have the model openai:x; write \
                 `openai-responses:x`, or use one of openai-responses, anthropic, google-gla, \
                 google-vertex, grok-responses",
            ),
            (
                team("config = \"b.toml\""),
                "contest.toml:3: `team.config` names b.toml, which cannot be read: there is no such \
                 file; relative paths are seen from /work/project",
            ),
            (
                metric("name = \"m\""),
                "contest.toml:3: metric \"m\" has nothing to measure with; give it exactly one of \
                 `command`, `words` and `model`",
            ),
            (
                metric("name = \"Coverag\"\nmodel = \"openai:x\""),
                "contest.toml:3: metric \"Coverag\" has no `instruction`, and is not built in; did you \
                 mean `Coverage`? Built in are ClarityCoherence, Coverage, Relevance",
            ),
            (
                metric("name = \"m\"\nwords = []"),
                "contest.toml:4: `metric.words` must be a list of words, none of them empty",
            ),
            (
                metric("name = \"m\"\nwords = [\"w\"]\nveto_below = 5"),
                "contest.toml:5: `metric.veto_below` is no key of a metric with `words`; did you mean \
                 `model`?",
            ),
            (
                metric("name = \"m\"\ncommand = \"./score.sh\""),
                "contest.toml:4: `metric.command` must be a list of texts, such as [\"a\", \"b\"], \
                 not \"./score.sh\"",
            ),
            (
                metric("name = \"m\"\nwords = [\"w\"]\nweight = 0.5"),
                "contest.toml:5: the weights of the metrics add up to 0.5 (m 0.5); they must add up \
                 to 1",
            ),
            (
                own("[judge]\ntemperature = 0.5\n"),
                "contest.toml:5: `judge.temperature` is for a model, and there is no `judge.model`; \
                 without a model the built-in judge decides by the scores",
            ),
            (
                own("[prompts]\nteam = \"x\"\nteam_file = \"y\"\n"),
                "contest.toml:6: `prompts.team` and `prompts.team_file` exclude each other; use one of \
                 them",
            ),
            (
                own("[price.gpt]\ninput = 1\noutput = 1\n"),
                "contest.toml:4: `price` must be a model as `provider:name`, such as \
                 \"openai:gpt-4o\", not \"gpt\"",
            ),
            (
                own("[price.\"openai:x\"]\ninput = 1\n"),
                "contest.toml:4: `price.\"openai:x\".output` is missing",
            ),
            (
                contest(TEAM),
                "contest.toml:1: `[team]` alone is no contest; name a file that has `[orchestrator]`, \
                 or a contest.toml with `[[team]]`",
            ),
            (
                contest(&format!("task = \" \"\n{OWN}")),
                "contest.toml:1: `task` must be text that is not empty, not \" \"",
            ),
        ],
    );
}

#[test]
fn paths_are_seen_from_the_file_that_names_them() {
    let text = "[[team]]\nconfig = \"a.toml\"\n[[metric]]\nname = \"m\"\nwords = [\"w\"]\n";
    let world = World::new()
        .file("sub/contest.toml", text)
        .file("sub/a.toml", TEAM);
    assert_eq!(world.plan("sub/contest.toml").teams[0].id, "a");
}
