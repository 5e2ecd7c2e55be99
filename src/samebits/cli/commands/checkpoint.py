"""`samebits checkpoint`: what a checkpoint holds, whether it is whole, where two differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from samebits.training.checkpoint.difference import EntryDifference
    from samebits.training.checkpoint.overview import Overview

checkpoint = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
"""The group of commands; `cli.app` gives each its docstring as help."""

_PATH = "A checkpoint (ckpt/step-00000100), or a folder of them."
_AS_JSON = typer.Option("--json", help="Print JSON instead of text.")
_SHOWN = 20


def inspect(
    path: Annotated[Path, typer.Argument(metavar="PATH", show_default=False, help=_PATH)],
    as_json: Annotated[bool, _AS_JSON] = False,
) -> None:
    """Say what a checkpoint holds: components, sizes, generators, versions.

    Of a folder of checkpoints, the latest. Its tensors are not read; `verify` reads them.

    Exit code: 0, or 2 where there is no checkpoint that could be read.
    """
    from samebits.training.checkpoint.overview import overview

    found = overview(path)
    if as_json:
        _print_json(_overview_json(found))
        return
    manifest = found.manifest
    epoch = "" if manifest.epoch is None else f", epoch {manifest.epoch}"
    _print(f"{found.path}: step {manifest.step}{epoch}, saved {manifest.created}")
    rows = [("component", "type", "tensors", "bytes")]
    rows += [(p.name, p.type, f"{p.tensors:,}", f"{p.nbytes:,}") for p in found.parts]
    _print_table(rows)
    _print(f"  {found.nbytes:,} bytes in all, by {manifest.world_size} process(es)")
    for part in found.parts:
        if part.gradients:
            _print(f"  {part.gradients:,} bytes of {part.name} are gradients")
    _print("generators: " + (", ".join(found.generators) or "none"))
    _print("versions: " + ", ".join(f"{k} {v}" for k, v in manifest.versions.items()))


def verify(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", show_default=False, help=_PATH)],
) -> None:
    """Read checkpoints, and check every byte of them against its checksum.

    Of a folder of checkpoints, all of them, and which is the latest.

    Exit code: 0 all are whole, 1 one is not, 2 there is none.
    """
    from samebits.errors import CheckpointError
    from samebits.training.checkpoint.overview import damaged_pointer, places
    from samebits.training.checkpoint.overview import verify as verify_one

    damaged = False
    for path in paths:
        wrong = damaged_pointer(path)
        if wrong is not None:
            damaged = True
            _print(f"DAMAGED  {wrong}")
        for place in places(path):
            try:
                count = verify_one(place.path)
            except CheckpointError as error:
                damaged = True
                _print(f"DAMAGED  {place.path}: {error.message}")
            else:
                _print(f"whole    {place.path}  {count:,} bytes")
    raise typer.Exit(1 if damaged else 0)


def diff(
    a: Annotated[Path, typer.Argument(metavar="A", show_default=False, help=_PATH)],
    b: Annotated[
        Path, typer.Argument(metavar="B", show_default=False, help="The one to compare it with.")
    ],
    as_json: Annotated[bool, _AS_JSON] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every difference.")] = False,
) -> None:
    """Say where two checkpoints differ: tensor by tensor, with the distance in ULP.

    Exit code: 0 same, 1 different, 2 one of them cannot be read.
    """
    from samebits.check.diff.distance import tensor_distance
    from samebits.training.checkpoint.difference import differences
    from samebits.training.checkpoint.overview import checkpoint_path

    def distance(x: Any, y: Any) -> tuple[float | None, int | None]:
        found = tensor_distance(x, y)
        return found.max_abs, found.max_ulp

    found = differences(checkpoint_path(a), checkpoint_path(b), distance)
    if as_json:
        _print_json([_difference_json(one) for one in found])
    elif not found:
        _print("same: every tensor and every value")
    else:
        _print(f"different: {len(found)} entries")
        for one in found if every else found[:_SHOWN]:
            _print(f"  {one.key}: {one.what}{_distance(one)}")
        if not every and len(found) > _SHOWN:
            _print(f"  and {len(found) - _SHOWN} more; --all shows them")
    raise typer.Exit(1 if found else 0)


def _distance(one: EntryDifference) -> str:
    parts = []
    if one.max_abs is not None:
        parts.append(f"largest difference {one.max_abs:.6g}")
    if one.max_ulp is not None:
        parts.append(f"{one.max_ulp:,} ULP")
    return f"; {', '.join(parts)}" if parts else ""


def _overview_json(found: Overview) -> dict[str, Any]:
    from dataclasses import asdict

    manifest = found.manifest
    return {
        "path": str(found.path),
        "step": manifest.step,
        "epoch": manifest.epoch,
        "created": manifest.created,
        "world_size": manifest.world_size,
        "versions": manifest.versions,
        "bytes": found.nbytes,
        "components": [asdict(part) for part in found.parts],
        "generators": list(found.generators),
    }


def _difference_json(one: EntryDifference) -> dict[str, Any]:
    import math
    from dataclasses import asdict

    told = asdict(one)
    if one.max_abs is not None and not math.isfinite(one.max_abs):
        told["max_abs"] = None
    return told


def _print_table(rows: list[tuple[str, str, str, str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for name, kind, tensors, size in rows:
        cells = (name.ljust(widths[0]), kind.ljust(widths[1]), tensors.rjust(widths[2]))
        _print("  " + "  ".join((*cells, size.rjust(widths[3]))))


def _print(text: str) -> None:
    """One line on standard output; what comes from a file is made printable."""
    import sys

    from samebits.check.report.output_stream import write_text
    from samebits.core.names import printable

    write_text(printable(text, 4096) + "\n", sys.stdout)


def _print_json(content: Any) -> None:
    import json
    import sys

    from samebits.check.report.output_stream import write_text

    write_text(json.dumps(content, indent=1) + "\n", sys.stdout)


COMMANDS = (inspect, verify, diff)
