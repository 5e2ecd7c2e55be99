"""Differences between environments as text, grouped by what they can do to results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from samebits.check.report.console import print_drawn
from samebits.check.report.printable import printable_name
from samebits.environment.comparison import Comparison, FactDifference
from samebits.environment.effects import EFFECTS, EffectCode

_TITLES: dict[EffectCode, tuple[str, str]] = {
    "changes": ("Changes bits", "red"),
    "may": ("May change bits", "yellow"),
    "harmless": ("Harmless", "green"),
}
_SHOWN = 200  # characters of a value
_HARMLESS_SHOWN = 12


def print_comparison(comparison: Comparison, *, names: tuple[str, str], stream: TextIO) -> None:
    """Print the differences."""
    print_drawn(partial(_draw, comparison, names), stream)


def headline(comparison: Comparison) -> str:
    """One sentence: can the bits differ?"""
    numbers = [len(comparison.with_effect(effect)) for effect in EFFECTS]
    if not comparison.differences:
        return "The environments are the same."
    if not comparison.bits_can_change:
        return f"The environments differ in nothing that can change bits ({numbers[2]} harmless)."
    said = [
        f"{number} {words}"
        for number, words in zip(numbers, ("changing bits", "that may", "harmless"), strict=True)
        if number
    ]
    return f"The environments differ: {', '.join(said)}."


def _draw(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    console.print(Text(headline(comparison), style="bold"))
    if comparison.differences:
        a, b = (printable_name(name, _SHOWN) for name in names)
        console.print(Text(f"A is {a}, B is {b}."))
    for effect in EFFECTS:
        found = comparison.with_effect(effect)
        if found:
            console.print()
            title, colour = _TITLES[effect]
            console.print(Text(f"{title} ({len(found)})", style=f"bold {colour}"))
            _draw_differences(found, console, brief=effect == "harmless")


def _draw_differences(
    differences: Sequence[FactDifference], console: Console, *, brief: bool
) -> None:
    for difference in differences[: _HARMLESS_SHOWN if brief else None]:
        line = Text("  ", overflow="fold")
        line.append(printable_name(difference.fact, _SHOWN), style="bold")
        line.append(f"  {_value(difference.a)} in A, {_value(difference.b)} in B")
        console.print(line)
        if not brief:
            for text in (difference.reason, f"To do: {difference.remedy}"):
                body = Text(printable_name(text, 1000), overflow="fold")
                console.print(Padding(body, (0, 0, 0, 4), expand=False))
    if brief and len(differences) > _HARMLESS_SHOWN:
        console.print(Text(f"  and {len(differences) - _HARMLESS_SHOWN} more"))


def _value(value: object) -> str:
    return "nothing" if value is None else printable_name(str(value), _SHOWN) or '""'
