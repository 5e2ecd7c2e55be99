"""The way of a difference through the step that it began in, ready to print."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.check.diff.spread import Spread, Stretch
from samebits.check.report.printable import printable_name
from samebits.check.report.source import place_text, quote


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One line that a difference went through; every field is ready to print.

    Attributes:
        part: "begins", "carries" or "absorbs".
        place: "train.py:12", or "".
        code: The line of source, or "".
        what: What ran there, in order: "encoder.1: aten.addmm, float32[32, 64], and 2 more
            operations".
    """

    part: str
    place: str
    code: str
    what: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Way:
    """The lines that a difference went through in one step.

    Attributes:
        step: The step.
        phases: Pairs of a phase and its lines, in the order in which they ran.
        left_out: Lines that are not listed.
        reached_loss: Whether the loss of that step differs; None where none is known.
    """

    step: int
    phases: tuple[tuple[str, tuple[Stop, ...]], ...]
    left_out: int
    reached_loss: bool | None


def way_of(found: Spread, reached_loss: bool | None) -> Way:
    """What is shown of a spread.

    Args:
        found: The lines.
        reached_loss: Whether the loss of that step differs; None where none is known.
    """
    phases: list[tuple[str, list[Stop]]] = []
    for stretch in found.stretches:
        if not phases or phases[-1][0] != stretch.phase:
            phases.append((stretch.phase, []))
        stops, stop = phases[-1][1], _stop(stretch)
        if stops and stop.place and _is_one(stops[-1], stop):
            stops[-1] = replace(stops[-1], what=(*stops[-1].what, *stop.what))
        else:
            stops.append(stop)
    return Way(
        step=found.step,
        phases=tuple((phase, tuple(stops)) for phase, stops in phases),
        left_out=found.left_out,
        reached_loss=reached_loss,
    )


def _is_one(before: Stop, stop: Stop) -> bool:
    """Whether two stops are shown as one: the same line, on which the difference goes on."""
    return before.place == stop.place and "absorbs" not in (before.part, stop.part)


def _stop(stretch: Stretch) -> Stop:
    place = code = module = ""
    if stretch.site is not None:
        place = place_text(stretch.site.file, stretch.site.line)
        quoted = quote(stretch.site.file, stretch.site.line, around=0)
        code = quoted.lines[0][1].strip() if quoted is not None else ""
        module = printable_name(stretch.site.module, 80)
    what = f"{module}: " if module else ""
    what += printable_name(stretch.op)
    if stretch.signature:
        what += f", {printable_name(stretch.signature)}"
    more = stretch.operations - 1
    if more:
        what += f", and {more:,} more operation{'s' if more > 1 else ''}"
    return Stop(part=stretch.part, place=place, code=code, what=(what,))
