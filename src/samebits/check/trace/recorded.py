"""Recorded runs on disk: what lies in a folder, how large it is, and how to let go of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samebits.check.trace.manifest import Manifest
from samebits.check.trace.schema import MANIFEST_FILE
from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import TraceError, UsageError

VERDICT_FILE = "verdict.json"
"""What a check has come to, in the folder of its runs."""

VERDICTS = ("same", "different", "incomplete", "failed")

_OWN_FILE = re.compile(
    r"(manifest(\.\d+)?\.json|(ops|steps|sites|ledger|received)(\.\d+)?\.arrow"
    r"|output(\.\d+)?\.log|seals(\.\d+)?\.txt|outputs\.safetensors)"
)
"""Files that a run folder may hold; `docs/file-format.md` lists them."""

_OWN_FOLDERS = ("values", "kept", "processes")

_MAX_VERDICT_BYTES = 256 * 2**20


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run, or the runs of one check.

    Attributes:
        folder: Where it lies.
        created: When its first run began, ISO 8601, UTC; "" where its manifest does not say.
        script: The script's path, or the command where there is no script.
        verdict: What the check came to; "" for a run alone, or where it was not finished.
        runs: How many runs it holds.
        steps: Optimizer steps of its first run.
        ops: Operations of its first run.
        size: Bytes on disk.
        commit: The commit that the code was at, "" where it is not known.
    """

    folder: Path
    created: str
    script: str
    verdict: str
    runs: int
    steps: int
    ops: int
    size: int
    commit: str


def recorded_in(parent: Path) -> Iterator[Recorded]:
    """What has been recorded in a folder, the oldest first; a run folder itself counts.

    Folders that hold nothing of samebits are passed over.

    Args:
        parent: A folder of checks and runs, such as "runs".

    Raises:
        UsageError: It is no folder, or cannot be read.
    """
    try:
        is_run = (parent / MANIFEST_FILE).is_file()
        places = [parent] if is_run else sorted(parent.iterdir())
    except OSError as error:
        raise UsageError(
            f"cannot read {printable(str(parent))}: {error.strerror}",
            hint="Give a folder that samebits has recorded runs in; runs unless given.",
        ) from error
    found = [_recorded(place) for place in places if is_recorded(place)]
    yield from sorted(found, key=lambda one: (one.created, str(one.folder)))


def is_recorded(place: Path) -> bool:
    """Whether a folder is a run, or holds the runs of one check; a link to one is none."""
    if place.is_symlink() or not place.is_dir():
        return False
    if (place / MANIFEST_FILE).is_file():
        return _is_run(place)
    try:
        entries = list(place.iterdir())
    except OSError:
        return False
    return any(_is_run(entry) for entry in entries if not entry.is_symlink())


def _is_run(place: Path) -> bool:
    """Whether a folder holds a manifest of samebits'; other programs write files of that name."""
    if not (place / MANIFEST_FILE).is_file():
        return False
    try:
        Manifest.read(place / MANIFEST_FILE)
    except TraceError:
        return False
    return True


def runs_of(place: Path) -> tuple[Path, ...]:
    """The run folders of a check that were compared, in order; a run folder is its own."""
    if (place / MANIFEST_FILE).is_file():
        return (place,)
    found = [entry for entry in place.glob("run-*") if (entry / MANIFEST_FILE).is_file()]
    return tuple(sorted(found, key=lambda entry: (len(entry.name), entry.name)))


def remove(place: Path, *, dry_run: bool = False) -> int:
    """Remove a run, or the runs of a check.

    Args:
        place: Its folder.
        dry_run: Only see whether it may be removed.

    Returns:
        How many bytes it had.

    Raises:
        UsageError: It is none, holds files of something else, or cannot be removed.
    """
    shown = printable(str(place))
    if not is_recorded(place):
        raise UsageError(
            f"{shown} is no recorded run", hint="samebits runs lists what has been recorded."
        )
    foreign = next(_foreign(place), None)
    if foreign is not None:
        raise UsageError(
            f"{shown} also contains {printable(str(foreign))}, which samebits has not recorded",
            hint="Move it elsewhere first, or remove the folder by hand.",
        )
    size = _size(place)
    if dry_run:
        return size
    try:
        shutil.rmtree(place.resolve())
    except OSError as error:
        raise UsageError(f"cannot remove {shown}: {error.strerror}") from error
    return size


def beyond(found: Iterable[Recorded], *, keep: int | None, max_size: int | None) -> list[Recorded]:
    """What to let go of, so that no more than the newest stay.

    Args:
        found: What has been recorded, the oldest first.
        keep: How many may stay; None for any number.
        max_size: How many bytes they may have together; None for any.
    """
    newest = list(found)[::-1]
    kept = len(newest) if keep is None else min(keep, len(newest))
    if max_size is not None:
        total = 0
        for number, one in enumerate(newest[:kept]):
            total += one.size
            if total > max_size:
                kept = number
                break
    return newest[kept:][::-1]


def _recorded(place: Path) -> Recorded:
    runs = runs_of(place)
    manifest = Manifest()
    for run in runs:
        try:
            manifest = Manifest.read(run / MANIFEST_FILE)
        except TraceError:
            continue
        break
    code = manifest.environment.get("code", {})
    commit = code.get("commit", "") if isinstance(code, dict) else ""
    script = manifest.script.get("path", "") or " ".join(map(str, manifest.command))
    return Recorded(
        folder=place,
        created=manifest.created,
        script=str(script),
        verdict=_verdict(place / VERDICT_FILE),
        runs=len(runs),
        steps=int(manifest.counts["steps"]),
        ops=int(manifest.counts["ops"]),
        size=_size(place),
        commit=commit if isinstance(commit, str) else "",
    )


def _verdict(file: Path) -> str:
    try:
        content = json.loads(read_regular(file, _MAX_VERDICT_BYTES))
    except (TraceError, ValueError, RecursionError):
        return ""
    found = content.get("verdict") if isinstance(content, dict) else None
    return found if found in VERDICTS else ""


def _size(place: Path) -> int:
    """Bytes of all files below a folder; links are not followed."""
    total = 0
    for folder, _, files in os.walk(place):
        for name in files:
            try:
                total += Path(folder, name).lstat().st_size
            except OSError:
                continue  # gone meanwhile
    return total


def _foreign(place: Path) -> Iterator[Path]:
    """What lies below a folder and is nothing that a recording writes."""
    is_run = _is_run(place)
    for entry in place.iterdir():
        if entry.is_symlink():
            yield entry
        elif entry.is_dir():
            if not (is_run and entry.name in _OWN_FOLDERS):
                yield from _foreign(entry)
        elif not (_OWN_FILE.fullmatch(entry.name) if is_run else entry.name == VERDICT_FILE):
            yield entry
