"""The frames of a process's files, held against what its manifest says of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from samebits.check.trace import schema, seal
from samebits.check.trace.manifest import Manifest
from samebits.core.names import printable
from samebits.errors import TraceError

Frames = Mapping[str, Sequence[seal.Frame]]
"""File → its frames, in order."""


def frames_of(folder: Path, rank: int, manifest: Manifest, present: Collection[str]) -> Frames:
    """The frames that a process's seals vouch for.

    Args:
        folder: The run folder.
        rank: Of the process.
        manifest: What it says of itself.
        present: Names of the files in the folder.

    Raises:
        TraceError: The seals are missing or damaged, or do not cover what the manifest lists.
    """
    name = schema.for_rank(schema.SEALS_FILE, rank)
    if not manifest.complete and name not in present:
        return {}  # Killed between the manifest and the first seal.
    frames = seal.read_seals(folder / name)
    for file, claim in manifest.seals.items() if manifest.complete else ():
        last = frames[file][-1] if frames.get(file) else seal.Frame(0, 0, b"")
        rows = sum(frame.rows for frame in frames.get(file, ()))
        if (last.end, rows, last.digest.hex()) != (claim["bytes"], claim["rows"], claim["digest"]):
            raise TraceError(
                f"{printable(str(folder / name))} does not vouch for all of "
                f"{printable(file, 80)} that the manifest lists",
                hint=seal.DAMAGED,
            )
    return frames
