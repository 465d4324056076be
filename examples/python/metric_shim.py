"""Lets a Python metric class of mixseek's form answer like a metric that is a program.

    metric_shim.py MODULE FILE CLASS

MODULE is tried first; FILE is loaded if there is no such module; either may be "". The class is made
without arguments, and its evaluate(), plain or async, gets those of user_query, submission,
execution_id, team_id and round_number that it takes. What it returns may be a number, a dict, or an
object with score and evaluator_comment. The last line of output is the JSON that kumite reads.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys


def load(module, file, name):
    if module:
        try:
            return getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as error:
            # A module that exists but misses one of its own imports is broken, not absent.
            absent = error.name == module or module.startswith(f"{error.name}.")
            if not (file and absent):
                raise
    spec = importlib.util.spec_from_file_location("kumite_metric", file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["kumite_metric"] = loaded
    spec.loader.exec_module(loaded)
    return getattr(loaded, name)


def call(evaluate, known):
    takes = inspect.signature(evaluate).parameters.values()
    if not any(one.kind is one.VAR_KEYWORD for one in takes):
        names = {one.name for one in takes}
        known = {name: value for name, value in known.items() if name in names}
    result = evaluate(**known)
    return asyncio.run(result) if inspect.isawaitable(result) else result


def answer(result):
    if isinstance(result, dict):
        score = result["score"]
        remarks = result.get("evaluator_comment", result.get("remarks"))
    elif isinstance(result, (int, float)):
        score, remarks = result, None
    else:
        score = result.score
        remarks = getattr(result, "evaluator_comment", None)
    # NaN and infinity have no place in JSON: they end here, with a message.
    return json.dumps({"score": float(score), "remarks": str(remarks or "")}, allow_nan=False)


def main():
    module, file, name = sys.argv[1:4]
    sys.path.insert(0, os.getcwd())
    with open(os.environ["KUMITE_TASK"], encoding="utf-8") as task:
        user_query = task.read()
    known = {
        "user_query": user_query,
        "submission": sys.stdin.buffer.read().decode("utf-8", "replace"),
        "execution_id": os.environ["KUMITE_CONTEST"],
        "team_id": os.environ["KUMITE_TEAM"],
        "round_number": int(os.environ["KUMITE_ROUND"]),
    }
    result = call(load(module, file, name)().evaluate, known)
    print()
    print(answer(result), flush=True)


main()
