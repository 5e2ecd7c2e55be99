"""Adds to a manifest what the processes of its run did, once all of them have ended."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samebits.check.record.ledger.merging import add_ledger
from samebits.check.record.ledger.process_table import as_recorded_process, read_table
from samebits.check.record.ledger.table_files import child_tables, table_file
from samebits.check.record.processes.file_digests import FileDigest, digest_of
from samebits.check.record.processes.still_written import still_written
from samebits.check.record.processes.summary import (
    ProcessFacts,
    RunProcesses,
    read_processes,
    rest_of_output,
)
from samebits.check.record.renames import final_name
from samebits.check.record.sources import SourceClassifier, library_folders
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.schema import MANIFEST_FILE, OUTPUT_FILE, SEALS_FILE
from samebits.core.catalog.own_names import OwnNames
from samebits.core.files import read_regular
from samebits.errors import TraceError

_DIGEST_BUDGET = 2 * 2**30
_MOST_REST = 1000  # lines
_MOST_LOOKED_AT = 50_000
_PASSED_OVER = frozenset(
    {".git", "__pycache__", ".venv", "venv", "node_modules", ".ruff_cache", ".mypy_cache"}
)
_CACHES = (".cache", "torchinductor_", ".triton", ".nv", ".keras", ".matplotlib")
_ONLY_ASKING = frozenset(
    ("git", "hostname", "ldconfig", "lscpu", "nproc", "nvidia-smi", "rocm-smi", "uname", "which")
)
"""Programs that tell something and change no file of the script's."""
_CLOCK_TICK_S = 0.01  # file systems stamp with the time of the last tick
_SAYS_WHO = (".pid", ".lock", ".port", ".sock", ".tmp")
"""Endings of files that say who runs, not what was computed."""


def add_processes(
    manifest: Manifest,
    folder: Path,
    workspace: Path,
    *,
    began: float,
    stdout: str | None,
    user_code: tuple[str, ...] = (),
) -> Manifest:
    """The manifest with its run's other processes, the files that they wrote, and what they print.

    Args:
        manifest: As it is known so far.
        folder: The run folder.
        workspace: Where the journals are.
        began: When the run began, seconds since 1970.
        stdout: All that arrived on the run's standard output; None where it was not kept.
        user_code: Installed folders that count as the user's own.
    """
    run = read_processes(workspace, SourceClassifier(user_code).is_user)
    manifest = manifest.replaced({"ending": run.ending.to_json(), "collectives": run.collectives})
    if run.rank is not None:
        manifest = manifest.replaced({"distributed": {"rank": run.rank, "world": run.world}})
    if run.became:
        manifest = manifest.replaced({"became": run.became})
    if run.lost:
        manifest = manifest.replaced({"unnoted": True})
    if run.answered:
        manifest = manifest.replaced({"answered": True})
    _add_ledgers(run, folder, workspace)
    if run.threads:
        threads = [found.to_json() for found in _in_order(run.threads)]
        manifest = manifest.replaced({"threads": threads})
    if not run.processes:
        # Bytes that came past sys.stdout.write: from os.write, or from code in C.
        rest = [] if stdout is None else rest_of_output(stdout, [_own_output(folder)])
        return manifest.replaced({"other_output": _kept(rest)}) if rest else manifest
    _follow_renames(run, manifest)
    # A script that was saved a moment ago has changed since the run began, by the system's clock.
    own = {str(e.get("path")) for e in (*manifest.files, *manifest.code, manifest.script)}
    recorded = dict(_manifests(run, folder))
    drawn = _drawn_by_any(manifest, recorded)
    folders = str(folder.absolute()), str(workspace)
    files = [
        _with_saved_values(file, run.written.get(file["path"]), recorded)
        for file in _files(run, manifest, folders, own, began, drawn)
    ]
    changes: dict[str, Any] = {
        "processes": [found.to_json() for found in _in_order(run.processes)],
        "process_files": files,
    }
    if run.unfollowed and stdout is not None:
        rest = rest_of_output(stdout, [_own_output(folder), *_printed(run)])
        changes["other_output"] = _kept(rest)
    changed = manifest.extra.get("changed")
    if isinstance(changed, Mapping):
        paths = {*changed.get("paths", ()), *run.written}
        beyond = {*changed.get("beyond", ()), "processes"}
        changes["changed"] = {**changed, "paths": sorted(paths), "beyond": sorted(beyond)}
    return manifest.replaced(changes)


def _follow_renames(run: RunProcesses, manifest: Manifest) -> None:
    """What is gone under the name that it was written under goes by the one that it was given.

    Another process than the writer may have renamed the folder that it lies in.
    """
    of_script = manifest.extra.get("renamed")
    renames = {**run.renamed}
    if isinstance(of_script, Mapping):
        renames |= {str(before): str(after) for before, after in of_script.items()}
    for path in [path for path in run.written if not os.path.lexists(path)]:
        name = final_name(path, renames)
        if name != path:
            run.written.setdefault(name, run.written[path])


def _add_ledgers(run: RunProcesses, folder: Path, workspace: Path) -> None:
    """Give each recorded process what it drew and read itself, in its own folder."""
    recorded = {
        table_file(workspace, found.ledger) for found in run.processes.values() if found.recorded
    }
    for found in run.processes.values():
        table = table_file(workspace, found.ledger)
        if not found.recorded or not found.ledger or not table.exists():
            continue
        own = process_folder(folder, found.token)
        try:
            manifest = Manifest.read(own / MANIFEST_FILE)
            tables_of_children = child_tables(workspace, found.token)
            children = [read_table(path) for path in tables_of_children if path not in recorded]
            tables = [
                as_recorded_process(read_table(table)),
                *sorted(children, key=lambda child: child.process),
            ]
            changed = run.written.keys()
            add_ledger(own, manifest, tables, changed).write(own / MANIFEST_FILE)
        except (OSError, TraceError) as error:
            found.failure = found.failure or f"its ledger could not be written: {error}"


def _kept(rest: list[str]) -> dict[str, Any]:
    return {"lines": rest[:_MOST_REST], "whole": len(rest) <= _MOST_REST}


def _in_order(found: Mapping[str, ProcessFacts]) -> list[ProcessFacts]:
    return [found[token] for token in sorted(found, key=_numbers)]


def _numbers(token: str) -> tuple[int, ...]:
    parts = token.replace("~", ".").replace("+", ".").split(".")
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


def _printed(run: RunProcesses) -> Iterator[str]:
    return (found.printed for found in run.processes.values())


def _own_output(folder: Path) -> str:
    """What the script's own process printed, without the numbers of steps."""
    with contextlib.suppress(Exception):
        content = read_regular(folder / OUTPUT_FILE, 64 * 2**20, "")
        lines = content.decode("utf-8", "replace").split("\n")
        return "\n".join(line.partition("\t")[2] if "\t" in line else line for line in lines)
    return ""


def _files(
    run: RunProcesses,
    manifest: Manifest,
    own_folders: tuple[str, ...],
    own_files: Collection[str],
    began: float,
    drawn: OwnNames,
) -> Iterator[dict[str, Any]]:
    """Each file that is there, was written by another process than the script's, and counts."""
    ignore = (*library_folders(), *(os.path.join(os.path.realpath(f), "") for f in own_folders))
    found = dict(run.written)
    if any(not p.watched and p.program not in _ONLY_ASKING for p in run.processes.values()):
        for path in _changed_since(Path(manifest.cwd), began - _CLOCK_TICK_S):
            found.setdefault(path, (0, set()))
    script = OwnNames.of(manifest.extra.get("process"), None).process
    numbers = {p.pid: token for token, p in run.processes.items() if p.pid}
    numbers |= {} if script is None else {script: "0"}
    budget = _DIGEST_BUDGET
    for path in sorted(found):
        begin, writers = found[path]
        real = os.path.realpath(path)
        whose = path in run.written or path not in own_files
        if not whose or not os.path.isfile(real) or not _counts(real, ignore):
            continue
        size = os.path.getsize(real)
        budget -= size
        if budget < 0:
            content = FileDigest("bytes", "not-digested")
        else:
            own, in_turns = _names(writers, numbers, drawn), len(writers) != 1
            try:
                content = digest_of(Path(real), begin=begin, any_order=in_turns, own=own)
            except OSError:
                continue
        yield {
            "path": path,
            **content.to_json(added=begin > 0),
            "beside": content.beside,
            "size": size,
            "process": min(writers, key=_numbers) if writers else "",
        }


def _manifests(run: RunProcesses, folder: Path) -> Iterator[tuple[str, Manifest]]:
    """What each recorded process has noted of itself, by its token."""
    for found in _in_order(run.processes):
        if found.recorded:
            with contextlib.suppress(OSError, TraceError):
                place = process_folder(folder, found.token) / MANIFEST_FILE
                yield found.token, Manifest.read(place)


def _drawn_by_any(manifest: Manifest, recorded: Mapping[str, Manifest]) -> OwnNames:
    """What the processes of a run have drawn for names: one may hand them to another.

    What they got from the system, and words and numbers of the script's own process.
    """
    script = OwnNames.from_facts(manifest.extra)
    of_others = (OwnNames.from_facts(held.extra).drawn for held in recorded.values())
    drawn = (*script.drawn, *(name for names in of_others for name in names))
    return replace(script, process=None, drawn=drawn)


def _with_saved_values(
    file: dict[str, Any],
    written: tuple[int, Collection[str]] | None,
    recorded: Mapping[str, Manifest],
) -> dict[str, Any]:
    """A file of tensors with the digest that its only writer has taken of what it saved there."""
    writers = () if written is None else written[1]
    held = recorded.get(file["process"]) if len(writers) == 1 else None
    saved = None if held is None else held.extra.get("saved_values")
    if file["kind"] != "tensors" or not isinstance(saved, Mapping):
        return file
    digest, size = saved.get(file["path"], ("", -1))
    return {**file, "values": digest} if size == file["size"] else file


def _names(writers: Collection[str], numbers: Mapping[int, str], drawn: OwnNames) -> OwnNames:
    """What the writers of a file call themselves: of several, any may have written a line."""
    own = {number for number, token in numbers.items() if token in writers}
    others = {number: token for number, token in numbers.items() if number not in own}
    if len(own) == 1:
        return replace(drawn, process=own.pop(), others=others)
    return replace(drawn, others={**others, **dict.fromkeys(own, "")})


def _counts(path: str, ignore: tuple[str, ...]) -> bool:
    if path.startswith((*ignore, "/proc/", "/sys/", "/dev/")) or path.endswith(_SAYS_WHO):
        return False
    caches = [os.environ.get("TORCHINDUCTOR_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")]
    if any(cache and path.startswith(os.path.join(cache, "")) for cache in caches):
        return False
    places = [str(Path.home()), tempfile.gettempdir()]
    for place in places:
        inside = os.path.join(os.path.realpath(place), "")
        if path.startswith(inside) and path[len(inside) :].startswith(_CACHES):
            return False
    return "/__pycache__/" not in path


def _changed_since(root: Path, began: float) -> Iterator[str]:
    """Files below the working folder that were changed since a moment, as far as it is looked."""
    looked = 0
    of_others = still_written()
    for folder, names, files in os.walk(root):
        if {MANIFEST_FILE, SEALS_FILE} <= set(files):
            names[:] = []  # the folder of another run: those are ours
            continue
        names[:] = sorted(name for name in names if name not in _PASSED_OVER)
        for name in sorted(files):
            looked += 1
            if looked > _MOST_LOOKED_AT:
                return
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                if status.st_mtime >= began and (status.st_dev, status.st_ino) not in of_others:
                    yield path
