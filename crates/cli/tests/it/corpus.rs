//! Shapes of spec.json that people have, each with its next phase. We wrote them after the shapes
//! that were counted in real projects.

pub const UPDATED: &str = "2026-01-01T09:00:00.123+09:00";

pub const SHAPES: &[(&str, &str, &str)] = &[
    (
        "fresh",
        r#"{
  "feature_name": "fresh",
  "created_at": "2026-01-01T00:00:00Z",
  "updated_at": "2026-01-01T00:00:00Z",
  "language": "ja",
  "phase": "initialized",
  "approvals": {
    "requirements": { "generated": false, "approved": false },
    "design": { "generated": false, "approved": false },
    "tasks": { "generated": false, "approved": false }
  },
  "ready_for_implementation": false
}
"#,
        "requirements",
    ),
    (
        "no-approvals",
        r#"{"feature_name":"x","phase":"initialized"}"#,
        "requirements",
    ),
    (
        "partial-approvals",
        r#"{"feature_name":"x","phase":"requirements-generated","approvals":{"requirements":{"generated":true,"approved":true}}}"#,
        "design",
    ),
    (
        "extra-approvals",
        r#"{"phase":"tasks-generated","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true},"document-review":{"approved":true},"impl":true,"implementation":{"validated":true,"by":"me"}}}"#,
        "document-review",
    ),
    (
        "string-permissions",
        r#"{"phase":"initialized","autoExecution":{"enabled":true,"permissions":{"requirements":true,"design":true,"tasks":true,"impl":true,"inspection":"skip","deploy":"pause"},"documentReviewFlag":"run","validationOptions":{"gap":false,"design":false,"impl":false}}}"#,
        "requirements",
    ),
    (
        "old-flags",
        r#"{"phase":"initialized","autoExecution":{"documentReviewFlag":"pause","inspectionFlag":"run"}}"#,
        "requirements",
    ),
    (
        "legacy-rounds",
        r#"{
	"phase": "tasks-generated",
	"approvals": {"requirements": {"generated": true, "approved": true}, "design": {"generated": true, "approved": true}, "tasks": {"generated": true, "approved": true}},
	"documentReview": {
		"status": "in_progress",
		"currentRound": 2,
		"roundDetails": [
			{"round": 1, "fixApplied": true, "fixRequired": 1, "needsDiscussion": 0, "by": "hand"},
			{"roundNumber": 2, "status": "reply_complete", "fixStatus": "clean", "fixRequired": 0, "needsDiscussion": 1}
		]
	}
}"#,
        "document-review",
    ),
    (
        "counted-rounds",
        r#"{"phase":"tasks-generated","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"reply-completed","rounds":2,"totalRounds":2},"reviewStatus":"ok"}"#,
        "document-review",
    ),
    (
        "odd-status",
        r#"{"phase":"tasks-generated","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"scheme":"debatex"}}"#,
        "document-review",
    ),
    (
        "review-approved",
        r#"{"phase":"tasks-generated","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved","roundDetails":[{"roundNumber":1,"status":"reply_complete","fixStatus":"not_required","fixRequired":0,"needsDiscussion":0}]},"impl":{"mode":"parallel"},"engineOverride":{"document-review":"gemini"}}"#,
        "impl",
    ),
    (
        "implementation-in-progress",
        r#"{"phase":"implementation-in-progress","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"impl_completed":false}"#,
        "impl",
    ),
    (
        "implemented",
        r#"{"phase":"implementation-complete","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"}}"#,
        "inspection",
    ),
    (
        "inspection-rounds",
        r#"{"phase":"implementation-complete","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"inspection":{"rounds":[{"number":1,"result":"nogo","inspectedAt":"2026-01-02T00:00:00Z","fixedAt":"2026-01-03T00:00:00Z","extra":1}]}}"#,
        "inspection",
    ),
    (
        "inspection-a",
        r#"{"phase":"implementation-complete","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"inspection":{"status":"failed","rounds":1,"currentRound":1,"roundDetails":[{"roundNumber":1,"passed":false,"fixApplied":true,"completedAt":"2026-01-02"}]}}"#,
        "inspection",
    ),
    (
        "inspection-b",
        r#"{"phase":"implementation-complete","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"inspection":{"status":"failed","date":"2026-01-02","report":"inspection-1.md"}}"#,
        "inspection",
    ),
    (
        "inspection-c",
        r#"{"phase":"implementation-complete","approvals":{"requirements":{"generated":true,"approved":true},"design":{"generated":true,"approved":true},"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"inspection":{"passed":false,"inspected_at":"2026-01-02","report_file":"inspection-report-1.md"}}"#,
        "inspection",
    ),
    (
        "spec-manager",
        r#"{
    "feature": "spec-manager",
    "status": { "phase": "design", "requirements": "completed", "design": "in_progress", "tasks": "pending" },
    "metadata": { "created": "2025-01-01", "updated": "2025-01-02" }
}
"#,
        "design",
    ),
    (
        "ad-hoc-keys",
        r#"{"validation":{"gap":null},"phase":"initialized","futureRequirements":["1.0",2],"implementation_status":"n/a","deployedAt":null,"branch":{"worktree":false},"worktree":{"branch":"main","enabled":false}}"#,
        "requirements",
    ),
];

/// The same spec with impl as its next and only permitted phase, in many styles.
pub fn styles() -> Vec<(&'static str, String)> {
    let pretty = r#"{
  "feature_name": "login",
  "phase": "tasks-generated",
  "updated_at": "2026-01-01T09:00:00.123+09:00",
  "language": "ja",
  "approvals": {
    "requirements": {"generated": true, "approved": true},
    "design": {"generated": true, "approved": true},
    "tasks": {"generated": true, "approved": true, "by": "tak\u00e9 \/ \ud83d\ude00 竹"}
  },
  "autoExecution": {
    "enabled": true,
    "permissions": {"impl": true, "inspection": "skip"}
  },
  "documentReview": {"status": "approved", "roundDetails": []},
  "numbers": [1.0, 1e3, -0, 12345678901234567890, 0.1],
  "empty": [{}, [], "", null],
  "notes": "its phase is \"quoted\""
}"#;
    let dense: String = pretty.lines().map(str::trim).collect();
    vec![
        ("two spaces", format!("{pretty}\n")),
        ("no newline at the end", pretty.to_owned()),
        ("four spaces", pretty.replace("  ", "    ")),
        ("tabs", pretty.replace("  ", "\t")),
        ("CRLF", pretty.replace('\n', "\r\n") + "\r\n"),
        ("one line", dense),
        (
            "blank lines and odd gaps",
            pretty.replace(",\n", " ,\n\n").replace(": ", "  :\t"),
        ),
        ("empty lines around it", format!("\n\n  {pretty}\n\n\n")),
    ]
}
