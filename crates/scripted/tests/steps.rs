//! Each step leaves the files that kumite checks.

mod support;

use serde_json::json;
use support::{Project, SPEC, open_boxes, read, sums};

#[test]
fn the_documents_have_their_shape() {
    let project = Project::new();
    project.write_documents();
    assert!(
        project
            .text("requirements.md")
            .contains("the limiter shall")
    );
    assert!(project.text("design.md").contains("```mermaid"));
    let plan = project.text("tasks.md");
    assert_eq!(open_boxes(&plan), 9);
    assert!(plan.contains("- [ ] 2.1 (P) ") && plan.contains("_Requirements: 1.1, 1.2, 1.3_"));
    for name in ["requirements.md", "design.md", "tasks.md"] {
        let text = project.text(name);
        assert!(text.contains(SPEC), "{name}");
        assert!(!text.contains("{{"), "{name}");
    }
}

#[test]
fn what_a_person_asked_for_stays_in_the_requirements() {
    let project = Project::new();
    let stub = "# Requirements Document\n\n## Project Description (Input)\nA form to log in.\n\n## Requirements\n<!-- later -->\n";
    project.put(".kiro/specs/login-form/requirements.md", stub);
    for _ in 0..2 {
        project.step("requirements", 1);
        let text = project.text("requirements.md");
        assert_eq!(
            text.matches("A form to log in.\n\n## Introduction").count(),
            1
        );
        assert!(!text.contains("<!-- later -->"));
    }
}

#[test]
fn a_japanese_spec_gets_a_japanese_lead() {
    let project = Project::with_spec_json("{\"language\": \"ja\"}");
    project.write_documents();
    project.step("review", 1);
    project.step("reply", 1);
    for name in [
        "requirements.md",
        "document-review-1.md",
        "document-review-1-reply.md",
    ] {
        assert!(
            project.text(name).contains("この文書は `login-form` "),
            "{name}"
        );
    }
}

#[test]
fn three_review_rounds_settle_the_built_in_documents() {
    let project = Project::new();
    project.write_documents();
    for (round, fixes) in [(1, 3), (2, 1), (3, 0)] {
        project.step("review", round);
        let review = project.text(&format!("document-review-{round}.md"));
        assert!(review.starts_with(&format!("# Specification Review Report #{round}\n")));
        project.step("reply", round);
        let reply = project.text(&format!("document-review-{round}-reply.md"));
        assert!(reply.starts_with(&format!("# Response to Document Review #{round}\n")));
        assert_eq!(sums(&reply), (fixes, 0));
        assert_eq!(
            reply.matches("**Judgment**: Fix Required").count(),
            fixes as usize
        );
        assert_eq!(reply.contains("## Applied Fixes"), fixes > 0);
    }
    assert!(
        project
            .text("requirements.md")
            .contains("rounded up and at least 1")
    );
    assert!(
        project
            .text("requirements.md")
            .contains("While 10,000 or more clients")
    );
    assert!(
        project
            .text("design.md")
            .contains("| Clock goes backwards |")
    );
    assert!(project.text("design.md").contains("`check` holds one lock"));
    assert!(!project.text("design.md").contains("## Clarifications"));
}

#[test]
fn replies_are_recorded_and_the_rest_of_spec_json_stays() {
    let project = Project::new();
    project.write_documents();
    project.step("review", 1);
    project.step("reply", 1);
    project.step("reply", 1);
    let round = json!({"roundNumber": 1, "fixRequiredCount": 3, "needsDiscussionCount": 0});
    assert_eq!(
        project.spec_json()["documentReview"]["roundDetails"],
        json!([round])
    );
    let text = project.text("spec.json");
    assert!(
        text.starts_with("{\n  \"feature_name\": \"login-form\",\n  \"mine\": {\n    \"b\": 1,")
    );
    assert!(text.ends_with("}\n"));
}

#[test]
fn a_long_script_has_other_findings_in_every_round() {
    let script = "[review]\nfix_required = [2]\nneeds_discussion = [0, 2]\n";
    let project = Project::new().scripted(script);
    project.write_documents();
    let mut before = project.text("design.md") + &project.text("requirements.md");
    for round in 1..=7 {
        project.step("review", round);
        project.step("reply", round);
        let reply = project.text(&format!("document-review-{round}-reply.md"));
        assert_eq!(sums(&reply), (2, if round == 1 { 0 } else { 2 }));
        let after = project.text("design.md") + &project.text("requirements.md");
        assert_ne!(before, after, "round {round} repaired nothing");
        before = after;
    }
    assert_eq!(
        project
            .text("design.md")
            .matches("## Clarifications")
            .count(),
        1
    );
}

#[test]
fn documents_of_the_script_are_reviewed_too() {
    let script = "[document.requirements]\ntext = \"# Mine: {{spec}}\\n\"\n[document.design]\ntext = \"# D\\n\"\n[document.tasks]\ntext = \"- [ ] one\\n- [ ] two\\n\"\n";
    let project = Project::new().scripted(script);
    project.write_documents();
    assert_eq!(project.text("requirements.md"), "# Mine: login-form\n");
    project.step("review", 1);
    project.step("reply", 1);
    assert!(
        project
            .text("requirements.md")
            .contains("## Clarifications\n\n- Review 1, C1: ")
    );
    project.step("impl", 1);
    assert_eq!(project.text("tasks.md"), "- [x] one\n- [x] two\n");
    assert!(project.code("README.md").exists());
}

#[test]
fn the_third_attempt_finishes_the_implementation() {
    let project = Project::new();
    project.write_documents();
    for (attempt, open, file) in [
        (1, 6, "token_bucket.py"),
        (2, 3, "limiter.py"),
        (3, 0, "gate.py"),
    ] {
        assert!(!project.code(file).exists());
        project.step("impl", attempt);
        assert_eq!(open_boxes(&project.text("tasks.md")), open);
        assert!(project.code(file).exists());
    }
    assert!(read(&project.code("README.md")).starts_with("# Login form\n"));
}

#[test]
fn a_finding_is_true_of_the_code_and_the_fix_repairs_it() {
    let project = Project::new();
    project.write_documents();
    (1..=3).for_each(|attempt| drop(project.step("impl", attempt)));
    project.step("inspect", 1);
    let report = project.text("inspection-1.md");
    assert!(report.starts_with("# Inspection Report - login-form\n"));
    assert!(report.contains("**Judgment**: NOGO\n"));
    let code = read(&project.code("token_bucket.py"));
    let line = code
        .lines()
        .position(|l| l.contains("elapsed = now - self._last"));
    let place = format!("`token_bucket.py:{}`", line.unwrap() + 1);
    assert!(report.contains(&place), "{place}");

    project.step("fix", 1);
    assert!(read(&project.code("token_bucket.py")).contains("max(0.0, now - self._last)"));
    assert!(read(&project.code("test_token_bucket.py")).contains("test_a_clock_that_goes_back"));
    let plan = project.text("tasks.md");
    assert_eq!(open_boxes(&plan), 0);
    assert!(plan.find("- [x] 4.1 Count elapsed time") < plan.find("## Appendix"));

    project.step("inspect", 2);
    assert!(
        project
            .text("inspection-2.md")
            .contains("**Judgment**: GO\n")
    );
    let rounds = &project.spec_json()["inspection"]["rounds"];
    assert_eq!(
        (&rounds[0]["number"], &rounds[0]["result"]),
        (&json!(1), &json!("nogo"))
    );
    assert!(rounds[0]["fixedAt"].is_string() && rounds[1]["fixedAt"].is_null());
    assert_eq!(
        (&rounds[1]["number"], &rounds[1]["result"]),
        (&json!(2), &json!("go"))
    );
    project.step("merge", 1);
}

#[test]
fn three_defects_are_found_and_repaired_one_by_one() {
    let script =
        "[impl]\nticks = [99]\n[inspection]\nverdicts = [\"nogo\", \"nogo\", \"nogo\", \"go\"]\n";
    let project = Project::new().scripted(script);
    project.write_documents();
    project.step("impl", 1);
    assert_ne!(own_tests_pass(&project), Some(true));
    for (round, title) in [
        (1, "Tokens are lost"),
        (2, "A wait below"),
        (3, "Busy clients"),
    ] {
        let lines = project.step("inspect", round);
        let result = lines.last().unwrap()["result"].as_str().unwrap();
        assert!(result.contains(title), "{result}");
        project.step("fix", round);
    }
    project.step("inspect", 4);
    assert_ne!(own_tests_pass(&project), Some(false));
}

/// Runs the tests of the code, including those that the defective code comes without. None if there
/// is no Python.
fn own_tests_pass(project: &Project) -> Option<bool> {
    for (name, text) in [
        ("bucket", include_str!("../texts/code/test_token_bucket.py")),
        ("limiter", include_str!("../texts/code/test_limiter.py")),
    ] {
        let path = project.code(&format!("test_whole_{name}.py"));
        std::fs::write(path, text).expect("a file");
    }
    let mut command = std::process::Command::new("python3");
    command.args(["-B", "-m", "unittest", "discover", "-s", "demo/login-form"]);
    let run = command.current_dir(project.root()).output().ok()?;
    Some(run.status.success())
}
