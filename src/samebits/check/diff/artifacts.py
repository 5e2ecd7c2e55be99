"""What a run leaves behind beyond its rows: saved files, printed text, exit code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.diff.printed_text import (
    comparable_lines,
    form_of,
    is_ignored,
    printed_otherwise,
    untagged,
    without_addresses,
)
from samebits.check.diff.verdict import Divergence
from samebits.check.diff.written_files import hold_the_same
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_KINDS
from samebits.core.catalog.measurements import is_log_of_times, is_report_of_failure, normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.names import printable

# output.log has the number of the step and a tab before each line.
_STEP_TAG = re.compile(r"^\d+\t")
_STEP = STEP_KINDS.index("step")
_LARGE = 10_000
"""A smaller number in a path may be that of a step."""
_WHAT = {
    "tensors": "tensors in",
    "values": "plain values in",
    "arrays": "arrays in",
    "text": "text of",
    "bytes": "bytes of",
}
NUMBERS_BESIDE = ("values", "arrays", "text")
"""Kinds of written files that hold results which no operation of torch has shown."""
WRITTEN_BESIDE = (*NUMBERS_BESIDE, "bytes")
"""The same with files of which nothing is known but their bytes."""


def saved_divergence(a: Trace, b: Trace, kind: str) -> Divergence | None:
    """The first written file that differs, in the order in which run A wrote them.

    A file that is written several times (a checkpoint) is compared each time. Files whose names
    differ too (temporary ones) are compared by what they hold.

    Args:
        a: Run A.
        b: Run B.
        kind: "tensors", "values", "arrays", "text" or "bytes".
    """
    files_a, files_b = (written_files(trace, kind) for trace in (a, b))
    for path in files_a:
        if path not in files_b:
            continue
        for file, other in zip(files_a[path], files_b[path], strict=False):
            if not hold_the_same(file, other):
                return _saved(file, _differ(kind, path))
        counts = len(files_a[path]), len(files_b[path])
        if counts[0] != counts[1]:
            longer = files_a[path] if counts[0] > counts[1] else files_b[path]
            return _saved(
                longer[min(counts)],
                f"run A writes {printable(path, 200)} {counts[0]} times, run B {counts[1]} times",
            )
    only_a, only_b = (
        [file for path in mine if path not in theirs for file in mine[path]]
        for mine, theirs in ((files_a, files_b), (files_b, files_a))
    )
    if Counter(f["digest"] for f in only_a) == Counter(f["digest"] for f in only_b):
        return None
    side, file = ("A", only_a[0]) if only_a else ("B", only_b[0])
    return _saved(file, f"run {side} writes {printable(file['path'], 200)}, the other does not")


def last_saved_divergence(a: Trace, b: Trace, kind: str, begin: int) -> Divergence | None:
    """The first file that both runs wrote and whose last version differs, in run A's order.

    Args:
        a: Run A.
        b: Run B, which may have written fewer versions, or other files besides. A file that it
            wrote last in another step (as it began, say) is not compared.
        kind: "tensors", "values" or "bytes".
        begin: The step of run A that run B's first one is.
    """
    files_a, files_b = (written_files(trace, kind) for trace in (a, b))
    for path, mine in files_a.items():
        theirs = files_b.get(path)
        if not theirs:
            continue
        steps = mine[-1]["step"], theirs[-1]["step"]  # below 0: as the run ended
        if min(steps) >= 0 and steps[0] != steps[1] + begin:
            continue
        if not hold_the_same(mine[-1], theirs[-1]):
            return _saved(mine[-1], _differ(kind, path))
    return None


def printed_difference(
    a: Trace, b: Trace, *, open_ends: bool = False, addresses: bool = True, by_main: bool = False
) -> str | None:
    """One sentence with the first printed line that differs; None when the output is the same.

    Args:
        a: Run A.
        b: Run B.
        open_ends: Whether a run may have ended early; then only what both printed counts.
        addresses: Whether addresses of objects count.
        by_main: Whether only what the main thread printed counts.
    """
    digests = {trace.manifest.stdout["blake2b"] for trace in (a, b)}
    if len(digests) == 1 and digests != {""} and not open_ends:
        return None
    lines_a, lines_b = (_output_lines(trace, by_main=by_main) for trace in (a, b))
    own = NamesOfProcesses(a).of(), NamesOfProcesses(b).of()
    if open_ends:  # A line without its end may be half of what would have been printed.
        del lines_a[-1], lines_b[-1]
    for number, (line, other) in enumerate(zip(lines_a, lines_b, strict=False), 1):
        if printed_otherwise(line, other, addresses=addresses, own=own):
            shown = [_STEP_TAG.sub("", text) for text in (line, other)]
            of_a, of_b = map(_quoted, shown if shown[0] != shown[1] else (line, other))
            return f"printed line {number} differs: {of_a} in A, {of_b} in B"
    if open_ends:
        return None
    if len(lines_a) != len(lines_b):
        return f"run A printed {len(lines_a) - 1} lines, run B {len(lines_b) - 1}"
    if len(digests) == 2 and "" not in digests and _cut_off(a, b):
        return "printed output differs after the part that was kept"
    return None


def _cut_off(a: Trace, b: Trace) -> bool:
    return any(trace.manifest.stdout["truncated"] for trace in (a, b))


def notes_beside(a: Trace, b: Trace) -> Iterator[str]:
    """What differs beside the operations, in sentences: the first of each kind."""
    printed = printed_difference(a, b)
    if printed is not None:
        yield printed
    for kind in WRITTEN_BESIDE:
        written = saved_divergence(a, b, kind)
        if written is not None:
            yield written.detail


def divergence_beside(a: Trace, b: Trace) -> Divergence | None:
    """What two runs print, or write into the same file, that differs in more than durations.

    Addresses of objects do not count, nor does the order of lines where threads or processes may
    print them, nor what only one of the runs writes: it may keep it for the next one.

    Args:
        a: Run A.
        b: Run B.
    """
    printed = _printed_beside(a, b)
    if printed is not None:
        return printed
    for kind in NUMBERS_BESIDE:
        files_a, files_b = (written_files(trace, kind) for trace in (a, b))
        for path in files_a:
            written = files_a[path], files_b.get(path, [])
            if path in files_b and (
                len(written[0]) != len(written[1]) or not all(map(hold_the_same, *written))
            ):
                return _saved(files_a[path][-1], _differ(kind, path))
    return None


def wrote_the_same(a: Trace, b: Trace) -> bool:
    """Whether all files that both runs wrote hold the same, of whatever kind they are."""
    for kind in ("tensors", *WRITTEN_BESIDE):
        files_a, files_b = (written_files(trace, kind) for trace in (a, b))
        for path in files_a.keys() & files_b.keys():
            if len(files_a[path]) != len(files_b[path]):
                return False
            if not all(map(hold_the_same, files_a[path], files_b[path])):
                return False
    return True


def unread_differences(a: Trace, b: Trace) -> list[str]:
    """Files that both runs wrote, of whose content nothing is known, and whose bytes differ."""
    files_a, files_b = (written_files(trace, "bytes") for trace in (a, b))
    both = (path for path in files_a if path in files_b)
    return [path for path in both if not hold_the_same(files_a[path][-1], files_b[path][-1])]


def _printed_beside(a: Trace, b: Trace) -> Divergence | None:
    detail = printed_difference(a, b, addresses=False)
    if detail is not None and (starts_others(a) or starts_others(b)):
        # What one thread prints has an order, and where it stands among the lines of others none.
        by_main = printed_difference(a, b, addresses=False, by_main=True)
        detail = next(map(_said_of, _unmatched(a, b)), by_main)
    if detail is None:
        return None
    steps = printed_steps(a, b)
    step = steps[0] if steps is not None else 0
    return Divergence(kind="printed", step=step, phase="optimizer", op="print", detail=detail)


def is_said_at_other_times(a: Trace, b: Trace) -> bool:
    """Whether printed text differs in nothing but which steps a run says something after.

    A script may tell how far it is every few seconds. What both say after the same step is the
    same, and so is what they say in the end, unless one of them said the like before.
    """
    steps: tuple[set[int], set[int]] = set(), set()
    last = min(int((trace.steps()["kind"] == _STEP).sum()) for trace in (a, b))
    of_a, of_b = (_lines_by_step(trace) for trace in (a, b))
    before = {
        form_of(line)
        for said in (of_a, of_b)
        for step, lines in said.items()
        for line in lines
        if step < last
    }
    for unmatched in _unmatched(a, b):
        for side, line in zip(steps, unmatched.lines, strict=True):
            if line is None:
                continue
            side.add(_earlier_step(line))
            at_the_end = _earlier_step(line) >= last
            if at_the_end and form_of(normal_form(_STEP_TAG.sub("", line))) not in before:
                return False
    if not steps[0] | steps[1] or not steps[0].isdisjoint(steps[1]):
        return False
    # After one step a run may say more than the other, and nothing else.
    pairs = ((of_a[step], of_b[step]) for step in of_a.keys() & of_b.keys())
    return all(one <= other or other <= one for one, other in pairs)


def _lines_by_step(trace: Trace) -> dict[int, Counter[str]]:
    said: dict[int, Counter[str]] = {}
    for line, text in zip(lines_that_count(trace), _output_lines(trace), strict=False):
        said.setdefault(_earlier_step(text), Counter())[line] += 1
    return said


@dataclass(frozen=True)
class _Unmatched:
    """A printed line that only one of two runs has, beside the next such line of the other.

    Attributes:
        number: The line's number in the first run that has one, from 1.
        lines: The lines, with the number of the step before each; None where a run has no more.
    """

    number: int
    lines: tuple[str | None, str | None]


def _unmatched(a: Trace, b: Trace) -> Iterator[_Unmatched]:
    """Printed lines that only one run has, in whatever order threads and processes print them."""
    of_a, of_b = (list(zip(lines_that_count(t), _output_lines(t), strict=False)) for t in (a, b))
    left = Counter(line for line, _ in of_b)
    left.subtract(line for line, _ in of_a)
    only_a = list(_only_of(of_a, -left))
    only_b = list(_only_of(of_b, +left))
    for one, other in zip_longest(only_a, only_b):
        number = (one or other or (0, ""))[0]
        yield _Unmatched(number, (one[1] if one else None, other[1] if other else None))


def _only_of(lines: Sequence[tuple[str, str]], surplus: Counter[str]) -> Iterator[tuple[int, str]]:
    """Number and text of lines of which this run has more than the other: the last of each."""
    found = []
    for number, (line, text) in reversed(list(enumerate(lines, 1))):
        if surplus[line] > 0:
            surplus[line] -= 1
            found.append((number, text))
    return reversed(found)


def _said_of(found: _Unmatched) -> str:
    if None in found.lines:
        side = "A" if found.lines[0] is not None else "B"
        text = _STEP_TAG.sub("", found.lines[0] or found.lines[1] or "")
        return f"only run {side} printed line {found.number}: {_quoted(text)}"
    of_a, of_b = (_quoted(_STEP_TAG.sub("", text or "")) for text in found.lines)
    return f"printed line {found.number} differs: {of_a} in A, {of_b} in B"


def starts_others(trace: Trace) -> bool:
    """Whether a run started threads or processes."""
    return any(row.source in ("thread", "process") for row in trace.ledger())


def lines_that_count(trace: Trace, *, by_main: bool = False) -> Iterator[str]:
    """The printed lines of a run, without what differs in each: durations, addresses, names.

    Args:
        trace: The run.
        by_main: Whether to leave out what other threads than the main one printed as well.
    """
    text = "\n".join(untagged(_output_lines(trace, by_main=by_main)))
    own = NamesOfProcesses(trace).of()
    lines = map(without_addresses, comparable_lines(text))
    return (without_own_names(line, own) for line in lines)


def digests_of_written(trace: Trace, kind: str) -> dict[str, list[str]]:
    """For each written file of a kind, digests of what was written into it, in order."""
    return {path: _digests(files) for path, files in written_files(trace, kind).items()}


def written_versions(trace: Trace) -> dict[str, list[tuple[str, str]]]:
    """For each file that a run wrote, by absolute path: kind and digest each time, in order."""
    versions: dict[str, list[tuple[str, str]]] = {}
    for file in trace.manifest.files:
        versions.setdefault(file["path"], []).append((file["kind"], file["digest"]))
    return versions


def _digests(files: Sequence[Mapping[str, Any]]) -> list[str]:
    return [file["digest"] for file in files]


def printed_steps(a: Trace, b: Trace) -> tuple[int, int] | None:
    """Optimizer steps done when the first and the last differing line were printed.

    A script that prints how long it took differs in every run; what it computed need not. Such
    lines do not count, nor do addresses of objects.

    Returns:
        The two numbers, or None when no line differs.
    """
    digests = {trace.manifest.stdout["blake2b"] for trace in (a, b)}
    if len(digests) == 1 and digests != {""}:
        return None
    if starts_others(a) or starts_others(b):
        found = [_earlier_step(*unmatched.lines) for unmatched in _unmatched(a, b)]
        return (min(found), max(found)) if found else None
    found = []
    own = NamesOfProcesses(a).of(), NamesOfProcesses(b).of()
    for line, other in zip(_output_lines(a), _output_lines(b), strict=False):
        if printed_otherwise(line, other, addresses=False, own=own):
            found.append(_earlier_step(line, other))
    return (found[0], found[-1]) if found else None


def _earlier_step(*lines: str | None) -> int:
    """The number of the step that the first of some lines was printed after."""
    tags = [_STEP_TAG.match(line) for line in lines if line is not None]
    return min((int(tag[0]) for tag in tags if tag is not None), default=0)


def _output_lines(trace: Trace, *, by_main: bool = False) -> list[str]:
    """The lines of output.log, without those that are left out by `--ignore-output`.

    Args:
        trace: The run.
        by_main: Whether to leave out what other threads than the main one printed as well.
    """
    noted = trace.manifest.extra.get("printed_by_others") if by_main else None
    others = {n for n in noted if isinstance(n, int)} if isinstance(noted, list) else set()
    return [
        line
        for number, line in enumerate(trace.output().split("\n"))
        if number not in others and not is_ignored(_STEP_TAG.sub("", line))
    ]


def value_steps(a: Trace, b: Trace) -> set[int]:
    """Optimizer steps done when files were saved whose plain values differ."""
    files_a, files_b = (written_files(trace, "values") for trace in (a, b))
    return {
        max(file["step"], 0)
        for path, mine in files_a.items()
        for file, other in zip(mine, files_b.get(path, ()), strict=False)
        if not hold_the_same(file, other)
    }


def printed_divergence(a: Trace, b: Trace, *, open_ends: bool = False) -> Divergence | None:
    """Printed text that differs, as a finding; see `printed_difference`."""
    detail = printed_difference(a, b, open_ends=open_ends)
    if detail is None:
        return None
    return Divergence(kind="printed", step=0, phase="setup", op="print", detail=detail)


def unlogged_divergence(a: Trace, b: Trace) -> Divergence | None:
    """Standard output of the script's own process that came past `sys.stdout.write`."""
    if a.manifest.processes or b.manifest.processes:
        return None  # whose it is has to be asked first: see `compare.processes`
    rest = [
        Counter(comparable_lines("\n".join(trace.manifest.other_output.get("lines", ()))))
        for trace in (a, b)
    ]
    if rest[0] == rest[1]:
        return None
    detail = "standard output differs in what was not written through sys.stdout"
    return Divergence(kind="printed", step=0, phase="setup", op="write", detail=detail)


def exit_divergence(a: Trace, b: Trace) -> Divergence | None:
    """Exit codes or signals that differ, but where the timeout has ended one and both failed."""
    of_a, of_b = (trace.manifest.exit for trace in (a, b))
    if any(trace.manifest.ending.get("by") == "timeout" for trace in (a, b)) and (
        of_a["code"] != 0 != of_b["code"]
    ):
        return None
    if (of_a["code"], of_a["signal"]) == (of_b["code"], of_b["signal"]):
        return None
    detail = f"run A ends with {_ending(of_a)}, run B with {_ending(of_b)}"
    return Divergence(kind="exit", step=0, phase="setup", op="exit", detail=detail)


def written_files(trace: Trace, kind: str) -> dict[str, list[Mapping[str, Any]]]:
    """Path as any run of the script would call it → what was written there, in order.

    Where a run has written into several folders that it has names of its own for, each file of one
    name in them counts as another version of it.
    """
    files: dict[str, list[Mapping[str, Any]]] = {}
    own = _names_in_paths(trace)
    for file in trace.manifest.files:
        if file["kind"] != kind or is_log_of_times(file["path"]):
            continue
        if not is_report_of_failure(file["path"]):
            path = normal_form(relative_path(file["path"], trace.manifest.cwd))
            path = without_own_names(path, own)
            files.setdefault(path, []).append(file)
    return files


def _names_in_paths(trace: Trace) -> OwnNames:
    """What a run calls itself; the number of a process where it is hardly that of a step."""
    own = NamesOfProcesses(trace).of()
    number = own.process if own.process is not None and own.process >= _LARGE else None
    others = {number: name for number, name in own.others.items() if number >= _LARGE}
    return replace(own, process=number, others=others)


def relative_path(path: str, folder: str) -> str:
    """A path as runs in other folders would call it: below `folder`, or the file's name alone."""
    for flavour in (PurePosixPath, PureWindowsPath):
        pure = flavour(path)
        if not pure.is_absolute():
            continue
        if folder and pure.is_relative_to(folder):
            return pure.relative_to(folder).as_posix()
        return base_name(path)
    return path


def _saved(file: Mapping[str, Any], detail: str) -> Divergence:
    op = "write" if file["kind"] in ("text", "bytes") else "save"
    return Divergence(
        kind="saved", step=max(file["step"], 0), phase="optimizer", op=op, detail=detail
    )


def _differ(kind: str, path: str) -> str:
    verb = "differs" if kind == "text" else "differ"
    return f"the {_WHAT[kind]} {printable(path, 200)} {verb}"


def _quoted(line: str) -> str:
    return f"'{printable(line, 120)}'"


def _ending(ending: Mapping[str, Any]) -> str:
    if ending["signal"] is not None:
        return f"signal {ending['signal']}"
    return "no exit code" if ending["code"] is None else f"exit code {ending['code']}"
