"""Compares the files that other processes of two runs wrote, by digests that their runs hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.process_names import process_name
from samebits.check.diff.verdict import Divergence, NotCompared
from samebits.check.diff.written_files import hold_the_same, names_in_paths, relative_path
from samebits.check.trace.reader import Trace
from samebits.core.catalog.measurements import is_report_of_failure, normal_form
from samebits.core.catalog.own_names import without_own_names
from samebits.core.names import printable

_File = Mapping[str, Any]
_WHAT = {"tensors": "the tensors in {} differ", "text": "the text of {} differs"}


def compare_files(
    a: Trace, b: Trace, processes: Mapping[str, Mapping[str, Any]]
) -> tuple[Divergence | None, list[NotCompared]]:
    """The first file whose tensors or text differ, and files of which nothing can be said.

    Args:
        a: Run A.
        b: Run B.
        processes: The processes that may have written them, by name.
    """
    files = [_by_name(trace) for trace in (a, b)]
    unknown: list[NotCompared] = []
    for name in files[0].keys() & files[1].keys():
        first, second = files[0][name], files[1][name]
        if hold_the_same(first, second):
            if first["beside"] != second["beside"] and not _values_agree(first, second):
                why = "its tensors agree; what is saved beside them differs and cannot be read"
                if first.get("values") and second.get("values"):
                    why = "its tensors agree; what is saved beside them differs, also without times"
                unknown.append(NotCompared("file", printable(name, 200), why))
        elif first["kind"] == second["kind"] and first["kind"] in _WHAT:
            what = _WHAT[first["kind"]].format(printable(name, 200))
            return _found(first, what, processes), []
        else:
            why = "its bytes differ, and its format is unknown"
            unknown.append(NotCompared("file", printable(name, 200), why))
    found = _under_other_names(files, processes, unknown)
    return (found, []) if found is not None else (None, sorted(unknown, key=lambda u: u.name))


def _values_agree(file: _File, other: _File) -> bool:
    """Whether both hold the same, by what their writers say, but for times and names of runs."""
    return bool(file.get("values")) and file["values"] == other.get("values")


def _under_other_names(
    files: list[dict[str, _File]],
    processes: Mapping[str, Mapping[str, Any]],
    unknown: list[NotCompared],
) -> Divergence | None:
    """Files that only one run has under their names: compared by what they hold."""
    only = [
        {name: file for name, file in mine.items() if name not in theirs}
        for mine, theirs in ((files[0], files[1]), (files[1], files[0]))
    ]
    heaps = [Counter((f["kind"], _held(f)) for f in one.values()) for one in only]
    for run, mine in enumerate(only):
        for name, file in mine.items():
            key = file["kind"], _held(file)
            if heaps[0][key] == heaps[1][key]:
                continue
            shown = printable(name, 200)
            if file["kind"] in _WHAT:
                what = (
                    f"run {'AB'[run]} writes {shown}; the other run writes no such file, and none "
                    "that holds the same"
                )
                return _found(file, what, processes)
            why = f"only run {'AB'[run]} writes it, and its format is unknown"
            unknown.append(NotCompared("file", shown, why))
    return None


def _held(file: _File) -> str:
    """Of what it holds; of a text, without the names that each run has for itself."""
    return str(file.get("anonymous") or file["digest"])


def _by_name(trace: Trace) -> dict[str, _File]:
    """By the path as both runs would call it, without dates and numbers of processes in it.

    Nor with the run's own names, where it is the only one that is called so without them.
    """
    named = {
        normal_form(relative_path(file["path"], trace.manifest.cwd)): file
        for file in trace.manifest.process_files
        if not is_report_of_failure(file["path"]) and not _is_empty_temporary_file(file)
    }
    own = names_in_paths(trace)
    bare = {name: without_own_names(name, own) for name in named}
    shared = Counter(bare.values())
    return {bare[n] if shared[bare[n]] == 1 else n: file for n, file in named.items()}


def _is_empty_temporary_file(file: _File) -> bool:
    """Whether a file says nothing, neither by its name nor by what it holds."""
    return file["size"] == 0 and normal_form(base_name(file["path"])) == "#"


def _found(file: _File, what: str, processes: Mapping[str, Mapping[str, Any]]) -> Divergence:
    writer = processes.get(file["process"])
    name = process_name(writer) if writer is not None else "another program of the run"
    place = writer is not None and bool(writer["file"])
    return Divergence(
        kind="saved",
        step=0,
        phase="optimizer",
        op="save",
        file=writer["file"] if place and writer is not None else None,
        line=writer["line"] if place and writer is not None else None,
        detail=f"{what}; written by {name}",
        process=name,
    )
