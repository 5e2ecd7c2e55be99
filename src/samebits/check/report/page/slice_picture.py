"""The picture of a slice: a column of dots, and beside it a track for each result on its way.

It is drawn in strips, one beside the text of each part: text of any length and width keeps its dot.
A track runs from the part that made the result down to the last part that was given it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.report.slices import SliceStep, SliceView

STEP = 14
"""Pixels between tracks."""

DOT = 18
"""Pixels from the top of a strip to its dot."""

HEAD = 30
"""Height of the part of a strip that has bends; below it tracks run straight."""


@dataclass(frozen=True, kw_only=True)
class Strip:
    """What is drawn beside one part; numbers are pixels.

    Attributes:
        step: The part.
        x: Where its dot is.
        paths: Lines in the upper part of the strip, as SVG paths.
        below: Where tracks run on below it.
    """

    step: SliceStep
    x: int
    paths: tuple[str, ...]
    below: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class SlicePicture:
    """The strips of a slice, from top to bottom, and how wide they are."""

    strips: tuple[Strip, ...]
    width: int


def slice_picture(view: SliceView) -> SlicePicture:
    """Lay the tracks of a slice out."""
    columns, strips = _columns(view.sources), []
    last = _last_use(view.sources)
    for number, step in enumerate(view.steps):
        given = view.sources[number]
        running = [n for n in range(number) if last[n] >= number]
        x = _x(columns[number])
        paths = [_bend(_x(columns[n]), x) for n in given]
        passing = [_x(columns[n]) for n in running if last[n] > number]
        paths += [f"M{at} 0V{HEAD}" for at in passing]
        goes_on = last[number] > number
        if goes_on:
            paths.append(f"M{x} {DOT}V{HEAD}")
        below = (*passing, *((x,) if goes_on else ()))
        strips.append(Strip(step=step, x=x, paths=tuple(paths), below=below))
    return SlicePicture(strips=tuple(strips), width=_x(max(columns, default=0)) + STEP)


def _x(column: int) -> int:
    return STEP * (column + 1)


def _bend(begin: int, end: int) -> str:
    if begin == end:
        return f"M{begin} 0V{DOT}"
    return f"M{begin} 0C{begin} {DOT // 2} {end} {DOT // 2} {end} {DOT}"


def _last_use(sources: Sequence[Sequence[int]]) -> list[int]:
    """The last part that was given the result of each, itself where none was."""
    last = list(range(len(sources)))
    for number, given in enumerate(sources):
        for source in given:
            last[source] = number
    return last


def _columns(sources: Sequence[Sequence[int]]) -> list[int]:
    """The column of each part: that of a track that ends there, or the first that is free."""
    last = _last_use(sources)
    columns: list[int] = []
    for number, given in enumerate(sources):
        ending = [columns[n] for n in given if last[n] == number]
        taken = {columns[n] for n in range(number) if last[n] > number}
        free = (column for column in range(number + 1) if column not in taken)
        columns.append(min(ending) if ending else next(free))
    return columns
