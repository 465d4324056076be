"""Runs one task with a Python member written for mixseek, and prints what came of it.

kumite starts this program for a member of type "custom". Its standard input is one JSON object:

    plugin    {"module": ..., "path": ..., "class": ...}; the module is tried first, then the path
    config    what the class is constructed with, as an object with these attributes
    task      what the leader of the team wants
    context   {"execution_id", "team_id", "team_name", "round_number"}

Its standard output is one JSON object: {"content", "status", "error_message", "usage"}. Whatever
the member itself prints goes to standard error.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import types
from pathlib import Path


def load_class(plugin):
    problem = None
    if plugin.get("module"):
        try:
            return getattr(importlib.import_module(plugin["module"]), plugin["class"])
        except ImportError as error:
            problem = error
    if plugin.get("path"):
        path = Path(plugin["path"])
        sys.path.insert(0, str(path.resolve().parent))
        spec = importlib.util.spec_from_file_location("kumite_member_" + path.stem, path)
        module = importlib.util.module_from_spec(spec)
        # Dataclasses and pickles look their module up by its name.
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return getattr(module, plugin["class"])
    raise problem or ValueError("the plugin names neither a module nor a path")


def make_config(values):
    """mixseek's own object where mixseek is installed, a plain one with the same attributes if not."""
    try:
        from mixseek.models.member_agent import MemberAgentConfig
    except ImportError:
        return types.SimpleNamespace(**values)
    known = {name: value for name, value in values.items() if name in MemberAgentConfig.model_fields}
    return MemberAgentConfig.model_validate(known)


async def settled(value):
    return await value if inspect.isawaitable(value) else value


async def run(order):
    member = load_class(order["plugin"])(make_config(order["config"]))
    if hasattr(member, "initialize"):
        await settled(member.initialize())
    try:
        return await settled(member.execute(order["task"], order["context"]))
    finally:
        if hasattr(member, "cleanup"):
            await settled(member.cleanup())


def described(result):
    if isinstance(result, str):
        result = {"content": result}

    def field(name, default=None):
        if isinstance(result, dict):
            return result.get(name, default)
        return getattr(result, name, default)

    status = field("status", "success")
    usage = field("usage_info") or {}
    return {
        "content": str(field("content") or ""),
        "status": str(getattr(status, "value", status)).upper(),
        "error_message": field("error_message") or field("warning_message"),
        "usage": {name: usage.get(name) for name in ("input_tokens", "output_tokens")},
    }


def main():
    order = json.load(sys.stdin.buffer)
    # Nobody else writes to standard output from here on, not even programs that the member starts.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        answer = described(asyncio.run(run(order)))
    except Exception as error:
        answer = {"content": "", "status": "ERROR", "error_message": f"{type(error).__name__}: {error}"}
    json.dump(answer, out)
    out.close()


main()
