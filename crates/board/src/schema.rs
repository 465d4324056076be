//! The tables as other programs know them. Scores are DOUBLE, times are UTC, and only `team_status`
//! is our own.
//!
//! This is the only place that lists columns: the code that creates, checks, extends and fills the
//! tables is generated from it (`statements.rs`).

use Again::{Changed, Given, Kept, Replaced};

pub struct Table {
    pub name: &'static str,
    /// It has an automatic column `id`.
    pub has_id: bool,
    /// The columns that identify a row.
    pub key: &'static [&'static str],
    pub columns: &'static [Column],
    /// Columns, by the name of the index.
    pub indexes: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub sql_type: &'static str,
    /// What DuckDB gets besides the type. A later column can only have a DEFAULT.
    pub rule: &'static str,
    pub again: Again,
    pub since: Since,
}

/// What happens to a column when the row is written again.
#[derive(Clone, Copy, PartialEq)]
pub enum Again {
    Kept,
    Replaced,
    /// Replaced if the new row has a value.
    Given,
    /// Replaced only if it differs. The column is part of an index: DuckDB would remove the row
    /// from the index and add it again, which always fails if the index is damaged (see `open.rs`).
    Changed,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Since {
    /// A table without this column belongs to another program.
    First,
    /// A table without this column belongs to an older kumite, and gains it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "no column is younger than the first board")
    )]
    Later,
}

const ROUND: &[&str] = &["execution_id", "team_id", "round_number"];
const NOW: &str = "DEFAULT make_timestamp(epoch_us(now()))";
const ALWAYS_NOW: &str = "NOT NULL DEFAULT make_timestamp(epoch_us(now()))";

pub const ROUND_STATUS: Table = Table {
    name: "round_status",
    has_id: true,
    key: ROUND,
    columns: &[
        column("execution_id", "VARCHAR", "NOT NULL", Kept),
        column("team_id", "VARCHAR", "NOT NULL", Kept),
        column("team_name", "VARCHAR", "NOT NULL", Replaced),
        column("round_number", "INTEGER", "NOT NULL", Kept),
        column("should_continue", "BOOLEAN", "", Replaced),
        column("reasoning", "VARCHAR", "", Replaced),
        column("confidence_score", "DOUBLE", "", Replaced),
        column("round_started_at", "TIMESTAMP", "", Given),
        column("round_ended_at", "TIMESTAMP", "", Replaced),
        column("created_at", "TIMESTAMP", ALWAYS_NOW, Kept),
        column("updated_at", "TIMESTAMP", ALWAYS_NOW, Replaced),
    ],
    indexes: &[(
        "idx_round_status_round",
        "execution_id, team_id, round_number",
    )],
};

pub const LEADER_BOARD: Table = Table {
    name: "leader_board",
    has_id: true,
    key: ROUND,
    columns: &[
        column("execution_id", "VARCHAR", "NOT NULL", Kept),
        column("team_id", "VARCHAR", "NOT NULL", Kept),
        column("team_name", "VARCHAR", "NOT NULL", Replaced),
        column("round_number", "INTEGER", "NOT NULL", Kept),
        column("submission_content", "VARCHAR", "NOT NULL", Replaced),
        column(
            "submission_format",
            "VARCHAR",
            "NOT NULL DEFAULT 'md'",
            Replaced,
        ),
        column("score", "DOUBLE", "NOT NULL", Changed),
        column("score_details", "JSON", "NOT NULL", Replaced),
        column(
            "final_submission",
            "BOOLEAN",
            "NOT NULL DEFAULT FALSE",
            Replaced,
        ),
        column("exit_reason", "VARCHAR", "", Replaced),
        column("created_at", "TIMESTAMP", ALWAYS_NOW, Kept),
        column("updated_at", "TIMESTAMP", ALWAYS_NOW, Replaced),
    ],
    indexes: &[
        ("idx_leader_board_score", "score, created_at"),
        ("idx_leader_board_execution", "execution_id"),
        ("idx_leader_board_rank", "execution_id, score, round_number"),
    ],
};

pub const ROUND_HISTORY: Table = Table {
    name: "round_history",
    has_id: true,
    key: ROUND,
    columns: &[
        column("execution_id", "VARCHAR", "NOT NULL", Kept),
        column("team_id", "VARCHAR", "NOT NULL", Kept),
        column("team_name", "VARCHAR", "NOT NULL", Replaced),
        column("round_number", "INTEGER", "NOT NULL", Kept),
        column("message_history", "JSON", "", Replaced),
        column("member_submissions_record", "JSON", "", Replaced),
        column("created_at", "TIMESTAMP", NOW, Kept),
    ],
    indexes: &[(
        "idx_round_history_round",
        "execution_id, team_id, round_number",
    )],
};

pub const EXECUTION_SUMMARY: Table = Table {
    name: "execution_summary",
    has_id: false,
    key: &["execution_id"],
    columns: &[
        column("execution_id", "VARCHAR", "", Kept),
        column("user_prompt", "VARCHAR", "NOT NULL", Replaced),
        column("status", "VARCHAR", STATUS, Changed),
        column("team_results", "JSON", "NOT NULL", Replaced),
        column("total_teams", "INTEGER", "NOT NULL", Replaced),
        column("best_team_id", "VARCHAR", "", Replaced),
        column("best_score", "DOUBLE", "", Replaced),
        column(
            "total_execution_time_seconds",
            "DOUBLE",
            "NOT NULL",
            Replaced,
        ),
        column("completed_at", "TIMESTAMP", NOW, Changed),
        column("created_at", "TIMESTAMP", NOW, Kept),
    ],
    indexes: &[("idx_execution_summary_status", "status, completed_at")],
};

const STATUS: &str = "NOT NULL CHECK (status IN ('completed', 'partial_failure', 'failed'))";

pub const TEAM_STATUS: Table = Table {
    name: "team_status",
    has_id: false,
    key: &["execution_id", "team_id"],
    columns: &[
        column("execution_id", "VARCHAR", "NOT NULL", Kept),
        column("team_id", "VARCHAR", "NOT NULL", Kept),
        column("team_name", "VARCHAR", "NOT NULL", Replaced),
        column("state", "VARCHAR", "NOT NULL", Replaced),
        column("exit_reason", "VARCHAR", "", Replaced),
        column("message", "VARCHAR", "", Replaced),
        column("position", "INTEGER", "NOT NULL", Replaced),
        column("updated_at", "TIMESTAMP", ALWAYS_NOW, Replaced),
    ],
    indexes: &[],
};

pub const TABLES: &[Table] = &[
    ROUND_STATUS,
    LEADER_BOARD,
    ROUND_HISTORY,
    EXECUTION_SUMMARY,
    TEAM_STATUS,
];

/// A column of the very first board.
const fn column(
    name: &'static str,
    sql_type: &'static str,
    rule: &'static str,
    again: Again,
) -> Column {
    Column {
        name,
        sql_type,
        rule,
        again,
        since: Since::First,
    }
}
