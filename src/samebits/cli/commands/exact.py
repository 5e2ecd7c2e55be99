"""`samebits exact list`: what `samebits.exact()` covers, without running anything."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from samebits.arithmetic.listing import Listed

exact = typer.Typer(no_args_is_help=True, add_completion=False)


def list_(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            show_default=False,
            help="An operation as people or torch call it (softmax, torch.nn.functional.gelu, "
            "aten.add.Tensor), or a pattern ('*pool2d*').",
        ),
    ] = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Show only what is not covered.", show_default=False)
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of text.", show_default=False)
    ] = False,
) -> None:
    """Say of operations whether exact arithmetic covers them, for which dtypes, and by what.

    Nothing is run. Without a name all of Core ATen is summarised. What an operation refuses for
    its values, or for a combination of arguments, shows only when it runs:
    samebits.exact.coverage(model, *inputs) runs a model once and names all that it would refuse.

    Exit code: 0 listed, 2 torch has no operation of such a name.
    """
    from samebits.arithmetic.listing import core_aten, found
    from samebits.check.report.output_stream import write_text

    entries = core_aten() if not names else _without_repeats([found(name) for name in names])
    shown = [entry for entry in entries if not (missing and entry.covered)]
    if as_json:
        text = json.dumps([{**asdict(e), "covered": e.covered} for e in shown], indent=2)
    elif names or missing:
        text = _rows(shown) or "Nothing of it is missing."
    else:
        text = _summary(entries)
    write_text(text + "\n", sys.stdout)


def _without_repeats(groups: Sequence[Sequence[Listed]]) -> list[Listed]:
    return list({entry.operation: entry for group in groups for entry in group}.values())


def _rows(entries: Sequence[Listed]) -> str:
    """A line for each operation, in columns."""
    width = max((len(entry.operation) for entry in entries), default=0)
    hows = max((len(entry.how) for entry in entries), default=0)
    lines = [
        f"{e.operation:{width}}  {e.how:{hows}}  {'; '.join(filter(None, (_dtypes(e), e.why)))}"
        for e in entries
    ]
    return "\n".join(line.rstrip() for line in lines)


def _dtypes(entry: Listed) -> str:
    """The dtypes in few words."""
    if entry.how == "composed":
        return "as far as the operations are of which torch makes it"
    whole = [name for name in entry.dtypes if name == "bool" or "int" in name]
    rest = [name for name in entry.dtypes if name not in whole]
    words = ["whole numbers", *rest] if len(whole) == 9 else [*whole, *rest]
    return ", ".join(words)


def _summary(entries: Sequence[Listed]) -> str:
    """How much of Core ATen is covered, by what, and what is not."""
    from samebits.arithmetic.listing import MEANING

    counts = Counter(entry.how for entry in entries)
    covered = sum(entry.covered for entry in entries)
    lines = [f"Core ATen: {covered} of {len(entries)} operations are covered."]
    lines += [f"  {counts[how]:4}  {how:13}  {MEANING[how]}" for how in MEANING if counts[how]]
    missing = [entry.operation for entry in entries if not entry.covered]
    if missing:
        lines += ["Not covered:", *(f"  {name}" for name in missing)]
    lines += ["", "samebits exact list NAME says more of one; '*' in it stands for anything."]
    return "\n".join(lines)
