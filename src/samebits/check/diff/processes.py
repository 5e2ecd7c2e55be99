"""Compares what the processes of two runs did that the script has started.

Processes are paired by who started them, from where, and as which of several. Those of a pool share
their work as it comes: what they print is compared as one heap of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.diff.printed_text import comparable_lines
from samebits.check.diff.process_failures import has_lost_another
from samebits.check.diff.process_files import compare_files
from samebits.check.diff.process_groups import Process, process_groups
from samebits.check.diff.process_names import name_in_group, process_name
from samebits.check.diff.verdict import Divergence, NotCompared
from samebits.check.trace.reader import Trace
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.names import printable

_ENDED_FOR_GOOD = frozenset({4, 6, 7, 8, 11})
"""Signals that a process gets for a fault of its own; by others, somebody else has ended it."""


@dataclass
class ProcessComparison:
    """What came out.

    Attributes:
        divergence: The first difference.
        not_compared: What may have differed unseen; it counts where nothing else differs.
    """

    divergence: Divergence | None = None
    not_compared: list[NotCompared] = field(default_factory=list)


def compare_processes(a: Trace, b: Trace, *, lines: bool) -> ProcessComparison:
    """Compare output, ends and files of all processes but the script's own.

    Args:
        a: Run A.
        b: Run B.
        lines: Whether line numbers mean the same in both.
    """
    if not (a.manifest.processes or b.manifest.processes):
        threads = [*a.manifest.threads, *b.manifest.threads]
        return ProcessComparison(not_compared=list(dict.fromkeys(_not_recorded(threads))))
    groups_a, groups_b = process_groups(a, lines=lines), process_groups(b, lines=lines)
    result = ProcessComparison()
    names = NamesOfProcesses(a), NamesOfProcesses(b)
    for key in {**groups_a, **groups_b}:
        pair = groups_a.get(key, []), groups_b.get(key, [])
        found = _printed_otherwise(names, pair) or _ended_otherwise(*pair)
        result.not_compared += _too_much_printed(pair)
        result.divergence = result.divergence or found
    if result.divergence is None:
        result.divergence, unknown = compare_files(a, b, _names(a, b))
        result.not_compared += unknown
    if result.divergence is None:
        other, unclear = _other_output(a, b)
        result.divergence = other
        result.not_compared += unclear
    for group in (*groups_a.values(), *groups_b.values()):
        result.not_compared += _not_recorded(group, group)
        result.not_compared += _left_running(group)
    result.not_compared = list(dict.fromkeys(result.not_compared))
    return result


def unrecorded_processes(*traces: Trace) -> tuple[NotCompared, ...]:
    """Processes of runs that computed, or may have, where only the script's own is compared."""
    processes = [process for trace in traces for process in trace.manifest.processes]
    recorded = (
        NotCompared("process", process_name(process), "only the script's own process is compared")
        for process in processes
        if process["recorded"]
    )
    return tuple(dict.fromkeys([*recorded, *_not_recorded(processes)]))


def _printed_otherwise(
    names: tuple[NamesOfProcesses, NamesOfProcesses],
    groups: tuple[Sequence[Process], Sequence[Process]],
) -> Divergence | None:
    a, b = groups
    size = max(len(a), len(b))
    # A process's number in one of the runs may be that of a step in a line of both: a line agrees
    # as it is, or without such numbers.
    plain = [[_lines(process, OwnNames()) for process in group] for group in groups]
    bare = [
        [_lines(process, own.of(process["name"])) for process in group]
        for own, group in zip(names, groups, strict=True)
    ]
    for of_run in (*plain, *bare):
        of_run += [()] * (size - len(of_run))
    in_pool = {process["role"] for process in (*a, *b)} == {"pool"}
    for texts in (plain, bare):
        if Counter(texts[0]) == Counter(texts[1]):
            return None
        if in_pool and _heap(texts[0]) == _heap(texts[1]):
            return None
    for nth in range(size):
        lines = tuple(zip(plain[0][nth], bare[0][nth], strict=True))
        others = tuple(zip(plain[1][nth], bare[1][nth], strict=True))
        if what := _first_line(lines, others):
            return _divergence((a if nth < len(a) else b)[nth], "printed", "print", what)
    return None


def _lines(process: Process, own: OwnNames) -> tuple[str, ...]:
    lines = comparable_lines(process["printed"]["text"])
    while lines and not lines[-1].strip():
        lines.pop()
    return tuple(without_own_names(line, own) for line in lines)


def _heap(texts: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(line for text in texts for line in text)


def _first_line(a: Sequence[tuple[str, str]], b: Sequence[tuple[str, str]]) -> str:
    """What the first line says that differs; "" where none does.

    Args:
        a: What a process of run A printed: each line, and the same without its own names.
        b: The same of run B.
    """
    for number, (line, other) in enumerate(zip(a, b, strict=False), 1):
        if line[0] != other[0] and line[1] != other[1]:
            shown = f"{_quoted(line[0])} in run A, {_quoted(other[0])} in run B"
            return f"prints line {number} as {shown}"
    return f"prints {len(a)} lines in run A, {len(b)} in run B" if len(a) != len(b) else ""


def _quoted(line: str) -> str:
    return f"'{printable(line, 100)}'"


def _ended_otherwise(a: Sequence[Process], b: Sequence[Process]) -> Divergence | None:
    of_a, of_b = ([_end(process) for process in group] for group in (a, b))
    if Counter(of_a) == Counter(of_b):
        return None
    for process, mine, theirs in zip(a, of_a, of_b, strict=False):
        if mine != theirs and None not in (mine, theirs):
            return _divergence(process, "exit", "exit", f"ends with {mine} in run A, {theirs} in B")
    return None


def _end(process: Process) -> str | None:
    """How a process ended by itself; None where that is not known, or somebody else's doing."""
    if process["ending"].get("by") or has_lost_another(process):
        return None
    code, signal = process["exit"]["code"], process["exit"]["signal"]
    if signal is not None:
        return f"signal {signal}" if signal in _ENDED_FOR_GOOD else None
    return None if code is None else f"exit code {code}"


def _divergence(process: Process, kind: Any, op: str, what: str) -> Divergence:
    name = process_name(process)
    return Divergence(
        kind=kind,
        step=0,
        phase="setup",
        op=op,
        file=process["file"] or None,
        line=process["line"] if process["file"] else None,
        detail=f"{name} {what}",
        process=name,
    )


def _too_much_printed(groups: Sequence[Sequence[Process]]) -> Iterator[NotCompared]:
    for process in (*groups[0], *groups[1]):
        if not process["printed"]["whole"]:
            why = "it printed more than is kept; the beginning was compared"
            yield NotCompared("output", f"what {process_name(process)} printed", why)


def _other_output(a: Trace, b: Trace) -> tuple[Divergence | None, list[NotCompared]]:
    """Lines that programs without a journal printed, or code in C."""
    rest = [trace.manifest.other_output for trace in (a, b)]
    heaps = [Counter(comparable_lines("\n".join(one.get("lines", ())))) for one in rest]
    if heaps[0] == heaps[1] and all(one.get("whole", True) for one in rest):
        return None, []
    process = next((p for t in (a, b) for p in t.manifest.processes if not p["watched"]), None)
    of_a, of_b = (list((heaps[n] - heaps[1 - n]).elements()) for n in (0, 1))
    if process is None or not (of_a or of_b) or _may_be_torn(a) or _may_be_torn(b):
        why = "lines of several processes came together on standard output"
        return None, [NotCompared("output", "what other programs printed", why)]
    shown = [_quoted(lines[0]) if lines else "nothing" for lines in (of_a, of_b)]
    detail = f"another program of the run prints {shown[0]} in run A, {shown[1]} in run B"
    found = Divergence(
        kind="printed",
        step=0,
        phase="setup",
        op="write",
        file=process["file"] or None,
        line=process["line"] if process["file"] else None,
        detail=detail,
        process=process_name(process),
    )
    return found, []


_AT_ONCE = 4096
"""Bytes that reach a pipe in one piece, whoever else writes to it."""


def _may_be_torn(trace: Trace) -> bool:
    """Whether a line on standard output may be made of pieces of several processes' lines."""
    others = [p for p in trace.manifest.processes if p["printed"]["text"] or not p["watched"]]
    printed = sum(len(p["printed"]["text"]) for p in others) + trace.manifest.stdout["bytes"]
    printed += sum(map(len, trace.manifest.other_output.get("lines", ())))
    return len(others) > 1 and printed > _AT_ONCE


def _not_recorded(
    processes: Sequence[Process], group: Sequence[Process] | None = None
) -> Iterator[NotCompared]:
    """Processes that computed, or may have, and whose operations nobody saw."""
    for process in processes:
        # A rank is known to a reader as one; of others, one line stands for all that it started.
        is_rank = group is not None and process["rank"]
        name = name_in_group(process, group) if is_rank and group else process_name(process)
        if process["failure"]:
            yield NotCompared("process", name, f"not all of it is recorded: {process['failure']}")
        elif process["recorded"]:
            continue
        elif process["torch"] == "computed":
            yield NotCompared("process", name, "it computed with torch, and is not recorded")
        elif process["torch"] == "imported" or (process["torch"] == "idle" and process["threads"]):
            yield NotCompared(
                "process", name, "it may have computed with torch: it is not recorded"
            )
        elif _unwatched(process):
            yield NotCompared("process", name, "it is a Python program that was not watched")
        elif process["kind"] == "container" and process["exit"]["code"] != _NO_SUCH_PROGRAM:
            why = (
                f"{printable(process['program'], 80)}: what goes on in a container is not recorded"
            )
            yield NotCompared("process", name, why)


_NO_SUCH_PROGRAM = 127
"""How a shell ends that has not found what it was to start."""


def _left_running(group: Sequence[Process]) -> Iterator[NotCompared]:
    """Python processes that went on after the script had ended, until samebits ended them."""
    for process in group:
        if process["ending"].get("by") == "end" and process["watched"]:
            why = "it went on after the script had ended, and was ended then"
            yield NotCompared("process", name_in_group(process, group), why)


def _unwatched(process: Process) -> bool:
    """Whether a Python program kept no journal, and was not ended before it could."""
    if process["watched"] or process["exit"]["signal"] is not None:
        return False
    return process["kind"] in ("python", "python-alone")


def _names(a: Trace, b: Trace) -> dict[str, Process]:
    return {process["name"]: process for trace in (b, a) for process in trace.manifest.processes}
