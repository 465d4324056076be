//! The output of the agent: JSON lines that end in one result, even after an error.

mod support;

use kumite_scripted::Env;
use serde_json::Value;
use support::Project;

fn results(lines: &[Value]) -> usize {
    lines.iter().filter(|line| line["type"] == "result").count()
}

/// The message of a failed agent, whose only result is its last line.
fn complaint(played: (Vec<Value>, Result<(), kumite_scripted::Trouble>)) -> String {
    let (lines, played) = played;
    assert!(played.is_err());
    assert_eq!(results(&lines), 1);
    let last = lines.last().expect("a line");
    assert_eq!(last["is_error"], true);
    last["result"].as_str().expect("a sentence").to_string()
}

#[test]
fn every_step_begins_with_init_and_ends_with_one_result() {
    let project = Project::new();
    for (step, round) in [
        ("requirements", 1),
        ("design", 1),
        ("tasks", 1),
        ("review", 1),
        ("reply", 1),
        ("impl", 1),
        ("inspect", 1),
        ("fix", 1),
        ("merge", 1),
    ] {
        let lines = project.step(step, round);
        assert_eq!(
            (&lines[0]["type"], &lines[0]["subtype"]),
            (&"system".into(), &"init".into())
        );
        assert_eq!(results(&lines), 1, "{step}");
        let result = lines.last().unwrap();
        assert_eq!(result["subtype"], "success");
        assert_eq!(result["is_error"], false);
        assert_eq!(result["total_cost_usd"], 0.04);
        assert!(result["usage"]["output_tokens"].as_u64() > Some(0));
        assert!(
            lines
                .iter()
                .all(|line| line["session_id"] == lines[0]["session_id"])
        );
    }
}

#[test]
fn every_use_of_a_tool_has_its_outcome() {
    let project = Project::new();
    let lines = project.step("requirements", 1);
    let uses = lines
        .iter()
        .filter_map(|line| line["message"]["content"][0]["id"].as_str());
    let outcomes = lines
        .iter()
        .filter_map(|line| line["message"]["content"][0]["tool_use_id"].as_str());
    assert_eq!(uses.collect::<Vec<_>>(), outcomes.collect::<Vec<_>>());
    let path = project.document("requirements.md").display().to_string();
    let wrote =
        |line: &&Value| line["message"]["content"][0]["input"]["file_path"] == path.as_str();
    let block = &lines.iter().find(wrote).unwrap()["message"]["content"][0];
    assert_eq!(block["name"], "Write");
    assert_eq!(block["input"]["content"], project.text("requirements.md"));
}

#[test]
fn the_session_follows_from_the_name_of_the_agent() {
    let mut project = Project::new();
    let session = |project: &Project| project.step("merge", 1)[0]["session_id"].clone();
    let first = session(&project);
    assert_eq!(first, session(&project));
    assert_eq!(first.as_str().unwrap().len(), 36);
    project.env.agent = Some("agent-2".into());
    assert_ne!(first, session(&project));
}

#[test]
fn a_wrong_environment_is_a_sentence() {
    let project = Project::new();
    let good = Env {
        step: Some("review".into()),
        round: Some("1".into()),
        ..project.env.clone()
    };
    for (env, sentence) in [
        (
            Env {
                spec: None,
                ..good.clone()
            },
            "KUMITE_SPEC is not set",
        ),
        (
            Env {
                step: None,
                ..good.clone()
            },
            "KUMITE_STEP is not set",
        ),
        (
            Env {
                round: None,
                ..good.clone()
            },
            "KUMITE_ROUND is not set",
        ),
        (
            Env {
                round: Some("0".into()),
                ..good.clone()
            },
            "KUMITE_ROUND is \"0\", expected a number from 1",
        ),
        (
            Env {
                spec: Some("../x".into()),
                ..good.clone()
            },
            "KUMITE_SPEC is \"../x\", expected lower-case",
        ),
        (
            Env {
                step: Some("dance".into()),
                ..good.clone()
            },
            "KUMITE_STEP is \"dance\", expected requirements",
        ),
        (
            Env {
                pace: Some("fast".into()),
                ..good.clone()
            },
            "KUMITE_SCRIPT_PACE is \"fast\"",
        ),
        (
            Env {
                script: Some("none.toml".into()),
                ..good.clone()
            },
            "cannot read ",
        ),
    ] {
        let complaint = complaint(project.try_env(&env));
        assert!(complaint.starts_with(sentence), "{complaint}");
    }
}

#[test]
fn a_bad_script_is_named_with_its_line() {
    let project = Project::new().scripted("pace = \"0\"\n\n[review]\nfix_requierd = [1]\n");
    let complaint = complaint(project.try_step("review", 1));
    assert!(
        complaint.contains("script.toml:4: unknown field `fix_requierd`"),
        "{complaint}"
    );
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let project = Project::new();
    let missing = complaint(project.try_step("impl", 1));
    assert!(
        missing.contains("cannot read ") && missing.contains("tasks.md"),
        "{missing}"
    );
    // A directory in the way: even root cannot write here.
    std::fs::create_dir(project.document("requirements.md")).unwrap();
    let blocked = complaint(project.try_step("requirements", 1));
    assert!(
        blocked.contains("cannot write ") && blocked.contains("requirements.md"),
        "{blocked}"
    );
    let left = std::fs::read_dir(project.document("")).unwrap().count();
    assert_eq!(left, 2, "nothing but spec.json and the directory is left");
}

#[test]
fn a_broken_spec_json_is_left_as_it_is() {
    let project = Project::new();
    project.write_documents();
    project.step("review", 1);
    project.put(".kiro/specs/login-form/spec.json", "{ broken");
    let complaint = complaint(project.try_step("reply", 1));
    assert!(complaint.contains("spec.json"), "{complaint}");
    assert_eq!(project.text("spec.json"), "{ broken");
}
