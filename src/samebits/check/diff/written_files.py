"""Whether two runs have written the same files, by what each has noted of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.core.catalog.measurements import is_log_of_times, is_report_of_failure, normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.counted import how_often
from samebits.core.names import printable

_LARGE = 10_000
"""A smaller number in a path may be that of a step."""
_DECIMAL = re.compile(r"\d+\.\d+")
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
                f"run A writes {printable(path, 200)} {how_often(counts[0])}, "
                f"run B {how_often(counts[1])}",
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


def written_beside(a: Trace, b: Trace) -> Divergence | None:
    """What two runs write into the same file that holds numbers or text, and that differs.

    What only one of the runs writes does not count: it may keep it for the next one. But a file may
    be named after a result that it holds: "score0.5285.json" stands for "score0.5310.json".

    Args:
        a: Run A.
        b: Run B.
    """
    for kind in NUMBERS_BESIDE:
        files_a, files_b = files_of_runs((a, b), kind)
        for path in files_a:
            written = files_a[path], files_b.get(path, [])
            if path in files_b and (
                len(written[0]) != len(written[1]) or not all(map(hold_the_same, *written))
            ):
                names = [printable(files[-1]["path"], 200) for files in written]
                what = f"the {_WHAT[kind]} {names[0]} in A and {names[1]} in B differ"
                by_numbers = path not in written_files(a, kind)
                return _saved(written[0][-1], what if by_numbers else _differ(kind, path))
    return None


def files_of_runs(traces: Sequence[Trace], kind: str) -> list[dict[str, list[Mapping[str, Any]]]]:
    """What each of several runs wrote, under names that they have in common.

    A file may be named after a result, or after the time. Where each run has as many files of a
    name but for its decimals, those that not all of them have stand for each other in order.

    Args:
        traces: The runs.
        kind: "tensors", "values", "arrays", "text" or "bytes".

    Returns:
        For each run what `written_files` gives, with "#" in the place of such decimals.
    """
    files = [written_files(trace, kind) for trace in traces]
    shared = set(files[0]).intersection(*files[1:])
    forms: list[dict[str, list[str]]] = []
    for held in files:
        named: dict[str, list[str]] = {}
        for path in held:
            if path not in shared and _DECIMAL.search(path):
                named.setdefault(_DECIMAL.sub("#", path), []).append(path)
        forms.append(named)
    for form, paths in forms[0].items():
        if all(len(named.get(form, ())) == len(paths) for named in forms):
            for held, named in zip(files, forms, strict=True):
                for number, path in enumerate(named[form]):
                    held[f"{form} ({number})"] = held.pop(path)
    return files


def other_orders(a: Trace, b: Trace) -> Iterator[str]:
    """Files whose dicts hold the same in both runs, in another order, in sentences.

    Args:
        a: Run A.
        b: Run B.
    """
    files_a, files_b = (written_files(trace, "values") for trace in (a, b))
    for path in files_a:
        for file, other in zip(files_a[path], files_b.get(path, ()), strict=False):
            same = file["digest"] == other["digest"]  # no dates among the names
            if same and file.get("order") != other.get("order"):
                yield (
                    f"a dict in {printable(path, 200)} holds the same in both runs, in another "
                    "order: what walks it once it is loaded may come to something else"
                )
                break


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


def hold_the_same(file: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two files agree, or do but for the names that each run has for itself.

    Of two runs that add a row to one table, only the first writes the line with the columns' names.

    Args:
        file: An entry of a manifest's `files` or `process_files`.
        other: That of another run.
    """
    if file["kind"] != other["kind"]:
        return False
    if file["digest"] == other["digest"] or _agree(file, other, "anonymous"):
        return True
    return file.get("added") != other.get("added") and _agree(file, other, "rows")


def differ_by_run_names(
    file: Mapping[str, Any], other: Mapping[str, Any], *, stamped: bool = False
) -> bool:
    """Whether two texts differ in nothing but what may be what each run is called.

    Args:
        file: What one run has written.
        other: What the other one has.
        stamped: Whether only names with the date and the time count as such.
    """
    without = "unstamped" if stamped else "unnamed"
    return file["kind"] == other["kind"] and _agree(file, other, without)


def _agree(file: Mapping[str, Any], other: Mapping[str, Any], digest: str) -> bool:
    held = file.get(digest)
    return bool(held) and held == other.get(digest)


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


def value_steps(a: Trace, b: Trace) -> set[int]:
    """Optimizer steps done when files were saved whose plain values differ."""
    files_a, files_b = (written_files(trace, "values") for trace in (a, b))
    return {
        max(file["step"], 0)
        for path, mine in files_a.items()
        for file, other in zip(mine, files_b.get(path, ()), strict=False)
        if not hold_the_same(file, other)
    }


def written_files(trace: Trace, kind: str) -> dict[str, list[Mapping[str, Any]]]:
    """Path as any run of the script would call it → what was written there, in order.

    Where a run has written into several folders that it has names of its own for, each file of one
    name in them counts as another version of it.
    """
    files: dict[str, list[Mapping[str, Any]]] = {}
    own = names_in_paths(trace)
    for file in trace.manifest.files:
        if file["kind"] != kind or is_log_of_times(file["path"]):
            continue
        if not is_report_of_failure(file["path"]):
            path = normal_form(relative_path(file["path"], trace.manifest.cwd))
            path = without_own_names(path, own)
            files.setdefault(path, []).append(file)
    return files


def names_in_paths(trace: Trace) -> OwnNames:
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
