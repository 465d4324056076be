//! The tables as other programs know them. Scores are DOUBLE, times are UTC, and only `team_status`
//! is our own.

/// Creates everything that is missing. Tables of another program stay unchanged.
pub const SCHEMA: &str = "
CREATE SEQUENCE IF NOT EXISTS round_history_id_seq;
CREATE SEQUENCE IF NOT EXISTS round_status_id_seq;
CREATE SEQUENCE IF NOT EXISTS leader_board_id_seq;
CREATE SEQUENCE IF NOT EXISTS execution_summary_id_seq;

CREATE TABLE IF NOT EXISTS round_history (
    id INTEGER PRIMARY KEY DEFAULT nextval('round_history_id_seq'),
    execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL,
    team_name VARCHAR NOT NULL,
    round_number INTEGER NOT NULL,
    message_history JSON,
    member_submissions_record JSON,
    created_at TIMESTAMP DEFAULT make_timestamp(epoch_us(now())),
    UNIQUE (execution_id, team_id, round_number)
);
CREATE TABLE IF NOT EXISTS round_status (
    id INTEGER PRIMARY KEY DEFAULT nextval('round_status_id_seq'),
    execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL,
    team_name VARCHAR NOT NULL,
    round_number INTEGER NOT NULL,
    should_continue BOOLEAN,
    reasoning VARCHAR,
    confidence_score DOUBLE,
    round_started_at TIMESTAMP,
    round_ended_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL DEFAULT make_timestamp(epoch_us(now())),
    updated_at TIMESTAMP NOT NULL DEFAULT make_timestamp(epoch_us(now())),
    UNIQUE (execution_id, team_id, round_number)
);
CREATE TABLE IF NOT EXISTS leader_board (
    id INTEGER PRIMARY KEY DEFAULT nextval('leader_board_id_seq'),
    execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL,
    team_name VARCHAR NOT NULL,
    round_number INTEGER NOT NULL,
    submission_content VARCHAR NOT NULL,
    submission_format VARCHAR NOT NULL DEFAULT 'md',
    score DOUBLE NOT NULL,
    score_details JSON NOT NULL,
    final_submission BOOLEAN NOT NULL DEFAULT FALSE,
    exit_reason VARCHAR,
    created_at TIMESTAMP NOT NULL DEFAULT make_timestamp(epoch_us(now())),
    updated_at TIMESTAMP NOT NULL DEFAULT make_timestamp(epoch_us(now())),
    UNIQUE (execution_id, team_id, round_number)
);
CREATE TABLE IF NOT EXISTS execution_summary (
    execution_id VARCHAR PRIMARY KEY,
    user_prompt VARCHAR NOT NULL,
    status VARCHAR NOT NULL CHECK (status IN ('completed', 'partial_failure', 'failed')),
    team_results JSON NOT NULL,
    total_teams INTEGER NOT NULL,
    best_team_id VARCHAR,
    best_score DOUBLE,
    total_execution_time_seconds DOUBLE NOT NULL,
    completed_at TIMESTAMP DEFAULT make_timestamp(epoch_us(now())),
    created_at TIMESTAMP DEFAULT make_timestamp(epoch_us(now()))
);
CREATE TABLE IF NOT EXISTS team_status (
    execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL,
    team_name VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    exit_reason VARCHAR,
    message VARCHAR,
    position INTEGER NOT NULL,
    updated_at TIMESTAMP NOT NULL DEFAULT make_timestamp(epoch_us(now())),
    UNIQUE (execution_id, team_id)
);

CREATE INDEX IF NOT EXISTS idx_round_history_round
    ON round_history (execution_id, team_id, round_number);
CREATE INDEX IF NOT EXISTS idx_round_status_round
    ON round_status (execution_id, team_id, round_number);
CREATE INDEX IF NOT EXISTS idx_leader_board_score ON leader_board (score, created_at);
CREATE INDEX IF NOT EXISTS idx_leader_board_execution ON leader_board (execution_id);
CREATE INDEX IF NOT EXISTS idx_leader_board_rank
    ON leader_board (execution_id, score, round_number);
CREATE INDEX IF NOT EXISTS idx_execution_summary_status
    ON execution_summary (status, completed_at);
";

/// The columns we write, by table. A table that lacks one of them belongs to another program.
pub const COLUMNS: [(&str, &str); 5] = [
    (
        "round_status",
        "execution_id team_id team_name round_number should_continue reasoning confidence_score \
         round_started_at round_ended_at created_at updated_at",
    ),
    (
        "leader_board",
        "execution_id team_id team_name round_number submission_content submission_format score \
         score_details final_submission exit_reason created_at updated_at",
    ),
    (
        "round_history",
        "execution_id team_id team_name round_number message_history member_submissions_record \
         created_at",
    ),
    (
        "execution_summary",
        "execution_id user_prompt status team_results total_teams best_team_id best_score \
         total_execution_time_seconds completed_at created_at",
    ),
    (
        "team_status",
        "execution_id team_id team_name state exit_reason message position updated_at",
    ),
];

pub const TABLES: [&str; 5] = [
    "round_status",
    "leader_board",
    "round_history",
    "execution_summary",
    "team_status",
];
