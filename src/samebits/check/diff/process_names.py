"""What a process of a run is called in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.trace.run_parts import COLLECTED
from samebits.core.names import printable


def process_name(process: Mapping[str, Any]) -> str:
    """What a process is called in a sentence: "the process started at train.py:12 (mp.spawn)".

    Args:
        process: A process, as the manifest or `process_groups` tells of it; the latter knows which
            rank has started it: "the process started at train.py:12 by rank 1 (os.fork)".
    """
    if process["kind"] == "thread":
        return printable(f"the thread started{_place(process)}", 200)
    if process["via"] == COLLECTED:
        return f"part {process['nth'] + 1}"
    rank = f", rank {process['rank']}" if process["rank"] else ""
    started = f"the process started{_place(process)}{_by(process)}"
    return printable(f"{started} ({_how(process)}{rank})", 200)


def name_in_group(process: Mapping[str, Any], group: Sequence[Mapping[str, Any]]) -> str:
    """What it is called beside others that the same line has started.

    Args:
        process: A process, as `process_groups` tells of it.
        group: All of them, in the order in which they were started.

    Returns:
        "rank 1", "worker 2 of the pool made at actors.py:40", "process 2 of 4 started at
        train.py:12 (mp.spawn)", "thread 2 of 4 started at train.py:12 by rank 1", or what
        `process_name` says of the only one.
    """
    if process["rank"]:
        return printable(f"rank {process['rank']}", 40)
    if process["kind"] == "thread":
        return printable(_thread_name(process, group), 200)
    if process["via"] == COLLECTED:
        return process_name(process)
    number = process["number"]
    if process["role"] == "pool":
        made = f" made{_place(process)}" if process["file"] else ""
        return printable(f"worker {number} of the pool{made}{_by(process)}", 200)
    if len(group) == 1:
        return process_name(process)
    started = f"process {number} of {len(group)} started"
    return printable(f"{started}{_place(process)}{_by(process)} ({_how(process)})", 200)


def label_in_group(process: Mapping[str, Any], group: Sequence[Mapping[str, Any]]) -> str:
    """The same as short as a table has it: "rank 1", "worker 2, actors.py:40"."""
    if process["rank"] or process["via"] == COLLECTED:
        return name_in_group(process, group)
    is_thread = process["kind"] == "thread"
    number = process["nth"] + 1 if is_thread else process["number"]
    what = "worker" if process["role"] == "pool" else "thread" if is_thread else "process"
    numbered = f"{what} {number}" if len(group) > 1 else what
    where = f"{base_name(process['file'])}:{process['line']}" if process["file"] else _how(process)
    of = f"{process['of']}, " if process.get("of") else ""
    return printable(f"{of}{numbered}, {where}", 60)


def _thread_name(process: Mapping[str, Any], group: Sequence[Mapping[str, Any]]) -> str:
    number = process["nth"] + 1
    if process["role"] == "pool":
        made = f" made{_place(process)}" if process["file"] else ""
        return f"worker {number} of the thread pool{made}{_by(process)}"
    count = max(other["nth"] for other in group) + 1
    what = f"thread {number} of {count}" if count > 1 else "the thread"
    return f"{what} started{_place(process)}{_by(process)}"


def _by(process: Mapping[str, Any]) -> str:
    return f" by {process['of']}" if process.get("of") else ""


def _place(process: Mapping[str, Any]) -> str:
    return f" at {base_name(process['file'])}:{process['line']}" if process["file"] else ""


def _how(process: Mapping[str, Any]) -> str:
    program = str(process["program"])
    if process["via"] == "subprocess" or program.startswith("python "):
        return program or str(process["via"])
    return str(process["via"])
