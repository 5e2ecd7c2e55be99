"""Makes one run folder of the parts that several machines have recorded.

What was the script's own process in a part, such as torchrun's agent, becomes process `0.N` of the
whole: the folder `processes/0.N`. The processes that it has started keep their names behind that.
The whole has no process of its own that computes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.run_parts import (
    COLLECTED,
    RunPart,
    missing_ranks,
    own_rank,
    require_one_run,
)
from samebits.check.trace.schema import LEDGER_FILE, MANIFEST_FILE
from samebits.check.trace.writer import TraceWriter
from samebits.core.catalog.own_names import OwnNames
from samebits.core.names import printable
from samebits.errors import TraceError

_MOST_PRINTED = 2**20


def collect_parts(parts: Sequence[RunPart], out: Path) -> Manifest:
    """Write one run folder that holds all parts.

    Args:
        parts: Of one run, at least one; they are ordered by their lowest rank.
        out: The run folder: new, or an empty one.

    Returns:
        Its manifest.

    Raises:
        TraceError: The parts do not belong together, or the folder cannot be written.
    """
    require_one_run(parts)
    parts = sorted(parts, key=lambda part: min(part.ranks))
    made = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(made, ignore_errors=True)
        manifest = _write(parts, made)
        made.replace(out)
    except OSError as error:
        raise TraceError(
            f"cannot write {printable(str(out))}: {error.strerror or error}",
            hint="Make room, or name another folder with -o OUT.",
        ) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return manifest


def _write(parts: Sequence[RunPart], folder: Path) -> Manifest:
    first = parts[0].trace.manifest
    manifests = [part.trace.manifest for part in parts]
    writer = TraceWriter(folder, replace(first, processes=(), threads=(), seals={}, extra={}))
    rows: list[LedgerRow] = []
    processes: list[dict[str, Any]] = []
    threads: list[dict[str, Any]] = []
    written: list[dict[str, Any]] = []
    for number, part in enumerate(parts, 1):
        name = f"0.{number}"
        moved, further = _moved(part.trace, name)
        own = [_own_process(part, name, number), *moved]
        processes += own
        threads += further
        written += [
            {**one, "process": _renamed(one["process"], name)}
            for one in part.trace.manifest.process_files
        ]
        if not own[0]["recorded"]:  # those that are have a ledger of their own
            rows += _further_rows(rows, part.trace.ledger())
        _copy_process(part.trace.folder, process_folder(folder, name), part.trace.manifest)
        for process in part.trace.manifest.further:
            if process["recorded"]:
                source = process_folder(part.trace.folder, process["name"])
                _copy(source, process_folder(folder, _renamed(process["name"], name)))
    writer.close(
        processes=processes,
        threads=threads,
        process_files=_by_path(written),
        files=_by_path(one for manifest in manifests for one in manifest.files),
        code=_by_path(one for manifest in manifests for one in manifest.code),
        inputs=_by_path(one for manifest in manifests for one in manifest.inputs),
        other_output=_other_output(manifests),
        exit=next((one.exit for one in manifests if one.exit["code"] != 0), first.exit),
        seconds=max(one.seconds for one in manifests),
        counts={"ops": 0, "steps": 0},
        rank=0,
        notes=list(_notes(parts)),
        parts=[{"folder": part.place, "ranks": sorted(part.ranks)} for part in parts],
        missing_ranks=missing_ranks(parts),
    )
    claim = write_ledger(folder, rows)
    manifest = writer.manifest
    manifest = manifest.replaced({"seals": {**manifest.seals, LEDGER_FILE: claim}})
    manifest.write(folder / MANIFEST_FILE)
    return manifest


def _renamed(token: str, part: str) -> str:
    """What a process or thread of a part is called in the whole: "0.2+1" is "0.3.2+1"."""
    return part + token[1:] if token[:1] == "0" else token


def _moved(trace: Trace, part: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries of a part's processes and threads."""
    processes, threads = (
        [
            {
                **entry,
                "name": _renamed(entry["name"], part),
                "starter": _renamed(entry["starter"] or entry["name"].rpartition(".")[0], part),
            }
            for entry in entries
        ]
        for entries in (trace.manifest.processes, trace.manifest.threads)
    )
    return processes, threads


def _own_process(part: RunPart, name: str, number: int) -> dict[str, Any]:
    """The entry of what was the script's own process."""
    trace = part.trace
    rank = own_rank(trace)
    rows, steps = trace.count_ops(), int(trace.manifest.counts["steps"])
    printed = trace.output()
    computed = bool(rows or steps)
    words = trace.manifest.argv[:1]
    return {
        "name": name,
        "via": COLLECTED,
        "role": "",
        "file": "",
        "line": 0,
        "row": 0,
        "program": f"python {Path(words[0]).name}" if words else "python",
        "kind": "python",
        "watched": True,
        "rank": "" if rank is None else str(rank[0]),
        "world": "" if rank is None else str(rank[1]),
        "torch": "computed" if computed else "no",
        "recorded": computed,
        "rows": max(rows, int(trace.manifest.counts["ops"])),
        "steps": steps,
        "pid": OwnNames.of(trace.manifest.extra.get("process"), None).process or 0,
        "failure": "",
        "threads": False,
        "printed": {"text": printed[:_MOST_PRINTED], "whole": len(printed) <= _MOST_PRINTED},
        "exit": {"code": trace.manifest.exit["code"], "signal": trace.manifest.exit["signal"]},
        "starter": "0",
        "nth": number - 1,
    }


def _copy_process(source: Path, target: Path, manifest: Manifest) -> None:
    """Copy a part's own process; those that it has started lie beside it in the whole."""
    _copy(source, target)
    alone = replace(manifest, processes=(), threads=(), process_files=(), other_output={})
    alone.write(target / MANIFEST_FILE)


def _copy(source: Path, target: Path) -> None:
    """Copy the files of one process, without those of others below it."""
    target.mkdir(parents=True)
    for entry in sorted(source.iterdir()):
        if entry.is_file() and not entry.is_symlink():
            shutil.copyfile(entry, target / entry.name)


def _further_rows(known: Sequence[LedgerRow], rows: Sequence[LedgerRow]) -> Iterator[LedgerRow]:
    """A part's rows behind those that are there, with numbers of processes of their own."""
    first = max((row.process for row in known), default=0) + 1
    before = len(known)
    for row in rows:
        origin = row.origin + before if row.origin >= 0 else -1
        yield replace(row, process=row.process + first, origin=origin)


def _by_path(entries: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One entry a path: machines may share a disk."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        found.setdefault(str(entry["path"]), entry)
    return list(found.values())


def _other_output(manifests: Sequence[Manifest]) -> dict[str, Any]:
    outputs = [one.other_output for one in manifests if one.other_output]
    if not outputs:
        return {}
    return {
        "lines": [line for one in outputs for line in one["lines"]],
        "whole": all(one["whole"] for one in outputs),
    }


def _notes(parts: Sequence[RunPart]) -> Iterator[str]:
    missing = missing_ranks(parts)
    if missing:
        shown = ", ".join(map(str, missing[:8])) + (" and more" if len(missing) > 8 else "")
        which, them = ("rank {} is", "it") if len(missing) == 1 else ("ranks {} are", "them")
        yield f"{which.format(shown)} in none of the parts: nothing of {them} is recorded"
    for what, values in (
        ("level", [part.trace.manifest.level for part in parts]),
        ("seed", [part.trace.manifest.seeds.get("seed") for part in parts]),
    ):
        if len(set(values)) > 1:
            each = ", ".join(f"part {n}: {value}" for n, value in enumerate(values, 1))
            yield f"the parts were recorded with different {what}s ({each})"
    for number, part in enumerate(parts, 1):
        for note in part.trace.manifest.notes:
            yield f"part {number}: {note}"
