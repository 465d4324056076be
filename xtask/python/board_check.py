"""Looks at a leader board the way its users do: with the DuckDB package for Python.

    board_check.py verify DB WRITES   every row of WRITES (JSON lines, as kumite-board got them) is in DB
    board_check.py defaults DB        times that the database itself fills in are UTC, in any time zone
    board_check.py make DB            a database as this version makes it, with a board of mixseek's shape

The test `python` in crates/cli/tests/board calls it, with each pinned version of the package.
"""

import datetime
import json
import sys

import duckdb

TIMES = {"created_at", "updated_at", "completed_at", "round_started_at", "round_ended_at"}
KEYS = {
    "round_status": ["execution_id", "team_id", "round_number"],
    "leader_board": ["execution_id", "team_id", "round_number"],
    "round_history": ["execution_id", "team_id", "round_number"],
    "team_status": ["execution_id", "team_id"],
    "execution_summary": ["execution_id"],
}
TYPES = {
    "score": "DOUBLE",
    "confidence_score": "DOUBLE",
    "best_score": "DOUBLE",
    "round_number": "INTEGER",
    "final_submission": "BOOLEAN",
    "submission_content": "VARCHAR",
    "score_details": "JSON",
    "message_history": "JSON",
    "member_submissions_record": "JSON",
    "team_results": "JSON",
} | dict.fromkeys(TIMES, "TIMESTAMP")

MIXSEEK = """
CREATE SEQUENCE leader_board_id_seq;
CREATE TABLE leader_board (
    id INTEGER PRIMARY KEY DEFAULT nextval('leader_board_id_seq'), execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL, team_name VARCHAR NOT NULL, round_number INTEGER NOT NULL,
    submission_content VARCHAR NOT NULL, submission_format VARCHAR NOT NULL DEFAULT 'md',
    score FLOAT NOT NULL, score_details JSON NOT NULL, final_submission BOOLEAN NOT NULL DEFAULT FALSE,
    exit_reason VARCHAR, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (execution_id, team_id, round_number));
CREATE INDEX idx_leader_board_score ON leader_board (score, created_at);
INSERT INTO leader_board
    (execution_id, team_id, team_name, round_number, submission_content, score, score_details)
    VALUES ('old', 'a', 'Team a', 1, 'text', 78.67, '{}');
"""


def same(what, found, expected):
    if found != expected:
        sys.exit(f"duckdb {duckdb.__version__}: {what} is {found!r:.300}, not {expected!r:.300}")


def utc(ms):
    """A column without a zone holds UTC."""
    return ms and datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)


def verify(path, writes):
    board = duckdb.connect(path, read_only=True)
    described = board.execute(
        "SELECT table_name, column_name, data_type FROM information_schema.columns"
    ).fetchall()
    for table, column, found in described:
        if column in TYPES:
            same(f"the type of {table}.{column}", found, TYPES[column])
    counts = dict.fromkeys(KEYS, 0)
    with open(writes, encoding="utf-8") as lines:
        rows = [row for line in lines for row in json.loads(line)["write"]["rows"]]
    for row in rows:
        table = row.pop("table")
        counts[table] += 1
        condition = " AND ".join(f"{key} = ?" for key in KEYS[table])
        names = ", ".join(row)
        query = f"SELECT {names} FROM {table} WHERE {condition}"
        found = board.execute(query, [row[key] for key in KEYS[table]]).fetchall()
        expected = tuple(utc(cell) if name in TIMES else cell for name, cell in row.items())
        same(f"a row of {table}", found, [expected])
    for table, count in counts.items():
        found = board.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        same(f"the number of rows of {table}", found, count)


def defaults(path):
    board = duckdb.connect(path)
    board.execute("SET TimeZone = 'Asia/Tokyo'")
    board.execute(
        "INSERT INTO leader_board (execution_id, team_id, team_name, round_number, submission_content,"
        " score, score_details) VALUES ('python', 'p', 'P', 1, 'text', 1, '{}')"
    )
    query = "SELECT created_at, submission_format, final_submission FROM leader_board WHERE team_id = 'p'"
    made, form, final = board.execute(query).fetchone()
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    same("the default time, within an hour,", abs(now - made) < datetime.timedelta(hours=1), True)
    same("the defaults", (form, final), ("md", False))


def make(path):
    duckdb.connect(path).execute(MIXSEEK)


if __name__ == "__main__":
    {"verify": verify, "defaults": defaults, "make": make}[sys.argv[1]](*sys.argv[2:])
