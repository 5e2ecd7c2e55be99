"""Whether printed lines of two runs differ as threads and processes that take turns make them.

Who does what, and when, goes by pace: "[worker 1] task 5" in one run is "[worker 0] task 5" in the
other. As a whole both tell of the same workers and the same tasks. What threads computed by racing
for it is another number, and a result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from samebits.check.diff.printed_output import is_said_at_other_times, lines_that_count
from samebits.check.diff.printed_text import WORD
from samebits.check.trace.reader import Trace
from samebits.check.trials.paced_words import skeleton_of

_FEW = 100
"""A whole number below this is that of a task or a worker, or tells how far the work is."""


def differ_by_turns(plain: tuple[Trace, Trace], paces: tuple[Trace, Trace]) -> bool:
    """Whether lines that differ, but for times and names, tell the same as a whole.

    Args:
        plain: Two runs as they are.
        paces: Two with clocks of other paces and other names, whose threads took turns.
    """
    if is_said_at_other_times(*plain):
        return True
    moved = {skeleton_of(line) for line in _differing(paces)}
    lines = [Counter(lines_that_count(trace)) for trace in plain]
    only = [lines[side] - lines[1 - side] for side in (0, 1)]
    said = [_by_skeleton(one.elements()) for one in lines]
    for skeleton in {skeleton_of(line) for one in only for line in one}:
        if skeleton in moved:
            continue
        both = [one.get(skeleton, []) for one in said]
        if not all(both) or not _tell_the_same(*both):
            return False
    return True


def _differing(traces: tuple[Trace, Trace]) -> Iterable[str]:
    lines = [Counter(lines_that_count(trace)) for trace in traces]
    yield from lines[0] - lines[1]
    yield from lines[1] - lines[0]


def _by_skeleton(lines: Iterable[str]) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = defaultdict(list)
    for line in lines:
        found[skeleton_of(line)].append(WORD.findall(line))
    return found


def _tell_the_same(a: Sequence[list[str]], b: Sequence[list[str]]) -> bool:
    """Whether lines of one form hold the same words at each place, or few, in whatever order."""
    for of_a, of_b in zip(zip(*a, strict=True), zip(*b, strict=True), strict=True):
        if set(of_a) != set(of_b) and not all(map(_is_few, (*of_a, *of_b))):
            return False
    return True


def _is_few(word: str) -> bool:
    return word.isdigit() and int(word) < _FEW
