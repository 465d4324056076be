"""A metric that is a program: short submissions earn more points.

In contest.toml:

    [[metric]]
    name = "Short"
    weight = 0.2
    command = ["python3", "examples/python/short_metric.py"]

kumite runs it once for every submission, which comes on standard input. What it is about is in the
environment: KUMITE_CONTEST, KUMITE_TEAM, KUMITE_ROUND, KUMITE_METRIC, KUMITE_SUBMISSION and
KUMITE_TASK (files), KUMITE_PROJECT and, for agents, KUMITE_WORKTREE. The last line that it prints
is its answer. An exit code other than 0 is a failed try.
"""

import json
import sys

LIMIT = 300

words = len(sys.stdin.read().split())
too_many = max(0, words - LIMIT)
score = max(0, 100 - too_many / LIMIT * 100)
print(json.dumps({
    "score": round(score, 2),
    "remarks": f"{words} words; up to {LIMIT} cost nothing",
    # A submission without a single word is worth nothing, whatever the other metrics say.
    "veto": words == 0,
}))
