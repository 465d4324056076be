use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use axum::http::StatusCode;
use kumite_core::journal::By;
use kumite_core::names::Document;
use kumite_core::run::{Failure, Halt, Halted, Pause, Resume, Round, State, Step};
use kumite_project::project::Project;
use kumite_project::status::of_run;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

const SHORT: Asked = Asked {
    agents: String::new(),
    events: String::new(),
    decisions: String::new(),
};

struct Scene {
    dir: TempDir,
}

impl Scene {
    /// A spec whose documents are written and approved.
    fn new(patch: Value) -> Scene {
        let scene = Scene {
            dir: TempDir::new().unwrap(),
        };
        let approval = json!({"generated": true, "approved": true});
        let mut spec = json!({
            "feature_name": "login",
            "phase": "tasks-generated",
            "approvals": {"requirements": approval, "design": approval, "tasks": approval},
        });
        for (key, value) in patch.as_object().unwrap() {
            spec[key] = value.clone();
        }
        scene.write("spec.json", &spec.to_string());
        scene.write(
            "requirements.md",
            "# Requirements\n\nThe limiter shall limit.\n",
        );
        scene.write("design.md", "# Design\n");
        scene.write("tasks.md", "- [x] 1. A\n- [ ] 1.1 B\n");
        scene
    }

    fn write(&self, name: &str, text: &str) {
        let dir = self.dir.path().join(".kiro/specs/login");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(name), text).unwrap();
    }

    fn seen(&self) -> SeenSpec {
        SeenSpec::look(&Project::at(self.dir.path()), "login").unwrap()
    }

    /// As if the run had halted for this reason.
    fn halted(&self, why: Halt, step: Step) -> SeenSpec {
        let mut seen = self.seen();
        seen.run.number = 1;
        seen.run.state = State::Halted(Halted {
            why,
            detail: "what the <b>engine</b> noted".to_owned(),
            last_words: String::new(),
            resume: Resume::at(step),
        });
        seen.status = of_run("login", &seen.run, seen.facts.as_ref(), true);
        seen
    }
}

fn html_of(seen: &SeenSpec) -> String {
    body(seen, true, Haste::None, &SHORT).into_string()
}

fn rounds() -> Value {
    json!({"documentReview": {"status": "pending", "roundDetails": [
        {"roundNumber": 1, "status": "reply_complete", "fixRequired": 5, "needsDiscussion": 0},
        {"roundNumber": 2, "status": "reply_complete", "fixRequired": 3, "needsDiscussion": 1},
        {"roundNumber": 3, "status": "review_complete"},
    ]}})
}

const REPLY: &str = "## Response Summary\n\n| Fix Required | Needs Discussion |\n|---|---|\n| 3 | 1 |\n\n\
    ### C1: No <i>unit</i>\n\nJudgment: Fix Required\n\n### W1: Who locks?\n\nJudgment: Needs Discussion\n\n\
    Either the *caller* or <script>alert(1)</script>\n";

#[test]
fn a7_1_the_rounds_of_spec_json_are_shown_with_their_counts_and_files() {
    let scene = Scene::new(rounds());
    scene.write("document-review-1.md", "# Review");
    scene.write("document-review-2-reply.md", REPLY);
    let html = html_of(&scene.seen());
    let row = |number: u32| {
        let (_, row) = html
            .split_once(&format!("<tr id=\"round-{number}\">"))
            .unwrap();
        row.split_once("</tr>").unwrap().0.to_owned()
    };
    assert!(row(1).contains("<td class=\"num\">5</td><td class=\"num\">0</td>"));
    assert!(row(1).contains("href=\"/specs/login/documents/document-review-1.md\""));
    assert!(row(1).contains("no reply"), "{}", row(1));
    assert!(row(2).contains("<td class=\"num\">3</td><td class=\"num\">1</td>"));
    assert!(row(2).contains("/documents/document-review-2-reply.md\""));
    assert!(row(3).contains("reviewed"), "{}", row(3));
    assert!(html.contains("Round 2: 2 findings"), "{html}");
    assert!(html.contains("C1: No &lt;i&gt;unit"), "{html}");
    assert!(
        html.contains("Falling: the rounds left 5, 4 open"),
        "{html}"
    );
}

#[test]
fn a_spec_that_is_none_is_told_from_a_name_that_is_none() {
    let scene = Scene::new(json!({}));
    let project = Project::at(scene.dir.path());
    let status = |name: &str| SeenSpec::look(&project, name).err().unwrap().status;
    assert_eq!(status("other"), StatusCode::NOT_FOUND);
    for name in ["../login", "Login", "", "a\r\nb", "<b>", "."] {
        assert_eq!(status(name), StatusCode::BAD_REQUEST, "{name}");
    }
}

#[test]
fn a_spec_json_that_cannot_be_read_hides_nothing_else() {
    let scene = Scene::new(json!({}));
    scene.write("spec.json", "{ \"phase\": oops }");
    let html = html_of(&scene.seen());
    assert!(html.contains("spec.json cannot be read"), "{html}");
    assert!(html.contains("line 1, column 12"), "{html}");
    assert!(html.contains("/documents/design.md\""), "{html}");
    assert!(html.contains("id=\"task-1.1\""), "{html}");
}

#[test]
fn whoever_may_only_look_finds_no_button_and_no_form() {
    let scene = Scene::new(json!({}));
    let review = Step::Review(Round::fresh(1, 7));
    let write = Step::Write(Document::Requirements);
    for seen in [
        scene.seen(),
        scene.halted(Halt::Stopped(By::User), review),
        scene.halted(Halt::Waiting(Document::Requirements), write),
    ] {
        let html = body(&seen, false, Haste::None, &SHORT).into_string();
        assert!(!html.contains("data-post"), "{html}");
        assert!(!html.contains("<form"), "{html}");
        assert!(html_of(&seen).contains("data-post"));
    }
}

#[test]
fn a_document_that_waits_stands_beside_the_form_for_its_judgment() {
    let scene = Scene::new(json!({"approvals": {"requirements": {"generated": true}}}));
    let write = Step::Write(Document::Requirements);
    let html = html_of(&scene.halted(Halt::Waiting(Document::Requirements), write));
    for words in [
        "requirements.md waits for your approval",
        "The limiter shall limit.",
        "data-post=\"/api/specs/login/approve\"",
        "data-post=\"/api/specs/login/reject\"",
        "name=\"remark\"",
        "name=\"document\" value=\"requirements\"",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    let page = document::body(&scene.seen(), "requirements.md", true).unwrap();
    assert!(
        page.into_string()
            .contains("data-post=\"/api/specs/login/approve\"")
    );
    let page = document::body(&scene.seen(), "design.md", true).unwrap();
    assert!(
        !page.into_string().contains("data-post"),
        "it is not there to be judged"
    );
}

#[test]
fn a_person_who_is_needed_reads_what_for_and_what_to_do() {
    let scene = Scene::new(rounds());
    scene.write("document-review-2-reply.md", REPLY);
    let review = Step::Review(Round::fresh(3, 7));
    let rows = [
        (
            Halt::Paused(Pause::NeedsDiscussion),
            "Either the <em>caller</em>",
        ),
        (
            Halt::Paused(Pause::RoundsExhausted),
            "Resume grants new rounds",
        ),
        (Halt::Paused(Pause::NoEvidence), "no evidence of its work"),
        (
            Halt::Paused(Pause::EvidenceConflict),
            "Correct the one that is wrong",
        ),
        (
            Halt::Paused(Pause::InspectionNogo),
            "that grants new inspections",
        ),
        (
            Halt::Paused(Pause::SpecUnwritable),
            "spec.json cannot be written",
        ),
        (Halt::Paused(Pause::Budget), "Raise the budget"),
        (Halt::Limited { until_ms: 1 }, "it may be refused again"),
        (
            Halt::Failed(Failure::RetriesExhausted),
            "Reset forgets the retries",
        ),
        (Halt::Failed(Failure::AgentFailed), "An agent failed"),
        (Halt::Failed(Failure::AgentMissing), "kumite agent list"),
        (
            Halt::Failed(Failure::AgentHung),
            "said nothing for too long",
        ),
        (Halt::Failed(Failure::Timeout), "A step took too long"),
    ];
    for (why, words) in rows {
        let html = html_of(&scene.halted(why, review));
        let needs = html.split_once("<section class=\"needs stack\"").unwrap().1;
        let needs = needs.split_once("</section>").unwrap().0;
        assert!(needs.contains(words), "{why:?}: {needs}");
        assert!(needs.contains("data-post"), "{why:?}: {needs}");
        assert!(
            !html.contains("<b>engine") && !html.contains("<script"),
            "{html}"
        );
    }
    for why in [Halt::Stopped(By::User), Halt::Paused(Pause::ByUser)] {
        let html = html_of(&scene.halted(why, review));
        assert!(!html.contains("class=\"needs"), "{why:?}");
        assert!(html.contains("class=\"why\""), "{why:?}");
    }
}

#[test]
fn a_large_spec_is_shown_in_part_and_says_so() {
    let scene = Scene::new(json!({}));
    let mut tasks = String::new();
    let mut events = String::new();
    for number in 1..=300 {
        writeln!(tasks, "- [ ] {number}. Task").unwrap();
    }
    for number in 1..=2_500 {
        writeln!(events, "{}", json!({"message": format!("event {number}.")})).unwrap();
    }
    scene.write("tasks.md", &tasks);
    scene.write("events.jsonl", &events);
    let seen = scene.seen();
    let html = html_of(&seen);
    assert_eq!(html.matches("id=\"task-").count(), 300);
    assert!(html.contains("event 2500.") && html.contains("event 2451."));
    assert!(!html.contains("event 2450."));
    assert!(html.contains("href=\"/specs/login?events=all#events\""));
    let asked = Asked {
        events: "all".to_owned(),
        ..SHORT
    };
    let html = body(&seen, true, Haste::None, &asked).into_string();
    assert!(html.contains("event 501.") && !html.contains("event 500."));
}

#[test]
fn hostile_names_and_texts_are_shown_as_text() {
    let scene = Scene::new(json!({}));
    let name = "\"><img src=x onerror=alert(1)>.md";
    scene.write(
        name,
        "<script>alert(1)</script>\n\n[x](javascript:alert(1))\n",
    );
    let event = json!({
        "message": "<script>alert(1)</script>",
        "timestamp": "\"><script>",
        "type": "\"><script>",
        "level": "<script>",
        "agentId": "agent-1-1/../\"><script>",
        "errorMessage": "<script>",
    });
    scene.write("events.jsonl", &event.to_string());
    let seen = scene.seen();
    let page = document::body(&seen, name, true).unwrap().into_string();
    for html in [html_of(&seen), page] {
        for bad in ["<script", "<img", "javascript:", "documents/\""] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
        assert!(
            html.contains("/documents/%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E.md\"")
        );
    }
}

#[test]
fn only_documents_of_the_spec_have_a_page() {
    let scene = Scene::new(json!({}));
    let outside = scene.dir.path().join("secret.md");
    fs::write(&outside, "secret").unwrap();
    let dir = scene.dir.path().join(".kiro/specs/login");
    std::os::unix::fs::symlink(&outside, dir.join("link.md")).unwrap();
    let seen = scene.seen();
    let names = [
        "link.md",
        "../../../secret.md",
        "spec.json",
        "none.md",
        "",
        "steering:../../secret.md",
        Path::new(&outside).to_str().unwrap(),
    ];
    for name in names {
        let refusal = document::body(&seen, name, true).err().unwrap();
        assert_eq!(refusal.status, StatusCode::NOT_FOUND, "{name}");
    }
}

#[test]
fn c5_the_same_files_give_the_same_page() {
    let scene = Scene::new(rounds());
    assert_eq!(html_of(&scene.seen()), html_of(&scene.seen()));
}

#[test]
fn a_worktree_in_the_project_is_shown_and_one_outside_of_it_is_not() {
    let outside = TempDir::new().unwrap();
    let inside = ".kiro/worktrees/specs/login";
    for (path, is_shown) in [(inside, true), (outside.path().to_str().unwrap(), false)] {
        let worktree = json!({"worktree": {"path": path, "branch": "feature/login"}});
        let scene = Scene::new(worktree.clone());
        let dir = scene.dir.path().join(path).join(".kiro/specs/login");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("spec.json"), worktree.to_string()).unwrap();
        fs::write(dir.join("design.md"), "the design of the worktree").unwrap();
        let seen = scene.seen();
        let html = html_of(&seen);
        assert_eq!(html.contains("/documents/design.md\""), is_shown, "{path}");
        assert_eq!(html.contains("outside of the project"), !is_shown, "{path}");
        let page = document::body(&seen, "design.md", true);
        let shown = page.is_ok_and(|page| page.into_string().contains("of the worktree"));
        assert_eq!(shown, is_shown, "{path}");
    }
}
