//! Every shape of spec.json that was in use, one small file per shape.

pub const CURRENT: &str = r#"{
  "feature_name": "login",
  "created_at": "2026-01-01T00:00:00Z",
  "updated_at": "2026-01-01T00:00:00+09:00",
  "language": "ja",
  "phase": "tasks-generated",
  "approvals": {
    "requirements": { "generated": true, "approved": true },
    "design": { "generated": true, "approved": true },
    "tasks": { "generated": true, "approved": false }
  },
  "autoExecution": {
    "enabled": true,
    "permissions": {
      "requirements": true, "design": true, "tasks": true, "document-review": true,
      "impl": true, "inspection": true, "deploy": false
    }
  },
  "documentReview": {
    "status": "pending",
    "scheme": "claude-code",
    "roundDetails": [
      {
        "roundNumber": 1,
        "status": "reply_complete",
        "fixStatus": "applied",
        "fixRequired": 2,
        "needsDiscussion": 0
      }
    ]
  },
  "impl": { "mode": "parallel" },
  "inspection": {
    "rounds": [
      { "number": 1, "result": "nogo", "inspectedAt": "2026-01-02", "fixedAt": "2026-01-03" },
      { "number": 2, "result": "go", "inspectedAt": "2026-01-04" }
    ]
  },
  "worktree": { "path": ".kiro/worktrees/specs/login", "branch": "feature/login" },
  "futureRequirements": [1.0, 1e3, "caf\u00e9 \/", null]
}
"#;

/// As cc-sdd and `kumite new` write it.
pub const FRESH: &str = r#"{
  "feature_name": "login",
  "created_at": "2026-01-01T00:00:00Z",
  "updated_at": "2026-01-01T00:00:00Z",
  "language": "en",
  "phase": "initialized",
  "approvals": {
    "requirements": {
      "generated": false,
      "approved": false
    },
    "design": {
      "generated": false,
      "approved": false
    },
    "tasks": {
      "generated": false,
      "approved": false
    }
  },
  "ready_for_implementation": false
}
"#;

pub const INSPECTION_A: &str = r#"{"inspection":{"status":"passed","rounds":2,"currentRound":2,"roundDetails":[
  {"roundNumber":1,"passed":false,"fixApplied":true,"completedAt":"2026-01-02"},
  {"roundNumber":2,"passed":true,"completedAt":"2026-01-03"}]}}"#;

pub const INSPECTION_B: &str =
    r#"{"inspection":{"status":"passed","date":"2026-01-02","report":"inspection-3.md"}}"#;

pub const INSPECTION_C: &str = r#"{"inspection":{"passed":false,"inspected_at":"2026-01-02","report_file":"inspection-report-2.md"}}"#;

pub const SPEC_MANAGER: &str = r#"{
  "feature": "login",
  "status": {
    "phase": "design",
    "requirements": "completed",
    "design": "in_progress",
    "tasks": "pending"
  },
  "metadata": { "created": "2025-01-01", "updated": "2025-01-02" }
}
"#;

pub const LEGACY_ROUNDS: &str = r#"{"documentReview":{"status":"in_progress","rounds":9,"roundDetails":[
  {"round":2,"fixApplied":true,"fixRequiredCount":1,"needsDiscussionCount":0},
  {"fixRequired":3},
  "not a round",
  {"roundNumber":1,"status":"review_complete"}]}}"#;

pub const COUNTED_ROUNDS: &str = r#"{"documentReview":{"status":"complete","roundsCompleted":2}}"#;

pub const ALL: [&str; 8] = [
    CURRENT,
    FRESH,
    INSPECTION_A,
    INSPECTION_B,
    INSPECTION_C,
    SPEC_MANAGER,
    LEGACY_ROUNDS,
    COUNTED_ROUNDS,
];
