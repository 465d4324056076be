//! The settings of a contest: our own `contest.toml`, and mixseek's files as they are.

mod plan;

pub use plan::{
    Agent, Checklist, Command, Evaluator, Judge, Leader, Llm, Member, MemberKind, Metric,
    MetricKind, ModelTeam, Plan, Plugin, Price, Prompts, Rubric, Source, Team, TeamKind, Worktree,
};
