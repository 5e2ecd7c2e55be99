"""The processes and threads of a run, by who started them, from where, and as which of several."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import COLLECTED

Process = Mapping[str, Any]
"""An entry of the manifest's `processes` or `threads`."""


def process_groups(trace: Trace, *, lines: bool) -> dict[tuple[Any, ...], list[Process]]:
    """Processes and threads of one kind, in the order in which they were started.

    Args:
        trace: A run.
        lines: Whether line numbers mean the same in the run that it is compared with.

    Returns:
        What makes processes of two runs the same kind → those of this run. Each says under
        `number` as which of them it was started. A thread of another process than the script's own
        says under `of` what that is called, and so does a process that a rank has started.
    """
    keys: dict[str, tuple[Any, ...]] = {}
    nth: Counter[tuple[Any, ...]] = Counter()
    groups: dict[tuple[Any, ...], list[Process]] = defaultdict(list)
    owners = {process["name"]: process for process in trace.manifest.processes}
    for process in trace.manifest.further:
        owner = owners.get(owner_of(process["name"]))
        if process["kind"] == "thread" and owner is not None:
            process = {**process, "of": _short_name(owner)}
        starter = process["starter"] or process["name"].rpartition(".")[0]
        by = owners.get(starter)
        if process["kind"] != "thread" and by is not None and by["rank"] and not process["rank"]:
            process = {**process, "of": _short_name(by)}
        place = (base_name(process["file"]), process["line"]) if lines else ()
        if process["via"] == COLLECTED:
            # Whatever machine they were on, what it has started are processes of one run.
            keys[process["name"]] = ()
            parts = groups[(COLLECTED,)]
            parts.append({**process, "number": len(parts) + 1})
            continue
        how = (process["via"], process["role"], process["program"], place)
        key = (keys.get(starter, ()), how)
        groups[key].append({**process, "number": nth[key] + 1})
        keys[process["name"]] = (*key, nth[key])
        nth[key] += 1
    return groups


def _short_name(process: Process) -> str:
    if process["rank"]:
        return f"rank {process['rank']}"
    file = base_name(process["file"])
    return f"the process started at {file}:{process['line']}" if file else "another process"
