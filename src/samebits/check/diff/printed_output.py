"""Whether two runs have printed the same, and after which steps they have not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.diff.printed_text import (
    comparable_lines,
    form_of,
    form_without_names,
    is_ignored,
    printed_otherwise,
    timed_otherwise,
    untagged,
    without_addresses,
)
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_KINDS
from samebits.core.catalog.measurements import normal_form
from samebits.core.catalog.own_names import without_own_names
from samebits.core.catalog.printed_tables import without_timed_columns
from samebits.core.names import printable

# output.log has the number of the step and a tab before each line.
_STEP_TAG = re.compile(r"^\d+\t")
_STEP = STEP_KINDS.index("step")
_BEFORE = 40
"""Characters that are shown of two long lines before the first in which they differ."""


def printed_difference(
    a: Trace, b: Trace, *, open_ends: bool = False, addresses: bool = True, by_main: bool = False
) -> str | None:
    """One sentence with the first printed line that differs; None when the output is the same.

    Args:
        a: Run A.
        b: Run B.
        open_ends: Whether a run may have ended early; then only what both printed counts.
        addresses: Whether addresses of objects count.
        by_main: Whether only what the main thread printed counts.
    """
    digests = {trace.manifest.stdout["blake2b"] for trace in (a, b)}
    if len(digests) == 1 and digests != {""} and not open_ends:
        return None
    lines_a, lines_b = (_output_lines(trace, by_main=by_main) for trace in (a, b))
    own = NamesOfProcesses(a).of(), NamesOfProcesses(b).of()
    if open_ends:  # A line without its end may be half of what would have been printed.
        del lines_a[-1], lines_b[-1]
    for number, (line, other) in enumerate(zip(lines_a, lines_b, strict=False), 1):
        if printed_otherwise(line, other, addresses=addresses, own=own):
            return _difference_of_line(number, line, other)
    if open_ends:
        return None
    if len(lines_a) != len(lines_b):
        return f"run A printed {len(lines_a) - 1} lines, run B {len(lines_b) - 1}"
    if len(digests) == 2 and "" not in digests and _cut_off(a, b):
        return "printed output differs after the part that was kept"
    return None


def _difference_of_line(number: int, line: str, other: str) -> str:
    """How a line differs: in what it says, or only in when it came."""
    text_a, text_b = (_STEP_TAG.sub("", text) for text in (line, other))
    steps = [text.partition("\t")[0] for text in (line, other) if _STEP_TAG.match(text)]
    of_a, of_b = _quoted(text_a), _quoted(text_b)
    if text_a == text_b and len(set(steps)) == 2:
        a, b = steps
        return f"printed line {number}, {of_a}, came at step {a} in A, at step {b} in B"
    if of_a == of_b:
        pairs = zip_longest(text_a, text_b)
        alike = next((n for n, (of_a, of_b) in enumerate(pairs) if of_a != of_b), 0)
        begins = max(alike - _BEFORE, 0)
        cut = "…" if begins else ""
        of_a, of_b = (f"{cut}{_quoted(text[begins:])}" for text in (text_a, text_b))
    return f"printed line {number} differs: {of_a} in A, {of_b} in B"


def printed_divergence(a: Trace, b: Trace, *, open_ends: bool = False) -> Divergence | None:
    """Printed text that differs, as a finding; see `printed_difference`."""
    detail = printed_difference(a, b, open_ends=open_ends)
    if detail is None:
        return None
    return Divergence(kind="printed", step=0, phase="setup", op="print", detail=detail)


def printed_beside(a: Trace, b: Trace) -> Divergence | None:
    """Printed text that differs in more than durations, addresses and the order of others' lines.

    Args:
        a: Run A.
        b: Run B.
    """
    detail = printed_difference(a, b, addresses=False)
    if detail is not None and (starts_others(a) or starts_others(b)):
        # What one thread prints has an order, and where it stands among the lines of others none.
        by_main = printed_difference(a, b, addresses=False, by_main=True)
        detail = next(map(_said_of, _unmatched(a, b)), by_main)
    if detail is None:
        return unlogged_divergence(a, b)
    steps = printed_steps(a, b)
    step = steps[0] if steps is not None else 0
    return Divergence(kind="printed", step=step, phase="optimizer", op="print", detail=detail)


def unlogged_divergence(a: Trace, b: Trace) -> Divergence | None:
    """Standard output of the script's own process that came past `sys.stdout.write`."""
    if a.manifest.processes or b.manifest.processes:
        return None  # whose it is has to be asked first: see `compare.processes`
    rest = [Counter(comparable_lines("\n".join(_unlogged(trace)))) for trace in (a, b)]
    if rest[0] == rest[1]:
        return None
    detail = "standard output differs in what was not written through sys.stdout"
    return Divergence(kind="printed", step=0, phase="setup", op="write", detail=detail)


def timed_lines(a: Trace, b: Trace) -> set[str]:
    """Forms of the lines that differ between two runs in numbers that look like times, and only so.

    Args:
        a: Run A.
        b: Run B.

    Returns:
        What `form_without_names` makes of them; nothing where one printed more lines.
    """
    own = NamesOfProcesses(a).of(), NamesOfProcesses(b).of()
    lines = [untagged(_output_lines(trace)) for trace in (a, b)]
    if len(lines[0]) != len(lines[1]):
        return set()
    pairs = zip(*lines, strict=True)
    return {
        form_without_names(line, own[0])
        for line, other in pairs
        if timed_otherwise(line, other, own)
    }


def printed_steps(a: Trace, b: Trace) -> tuple[int, int] | None:
    """Optimizer steps done when the first and the last differing line were printed.

    A script that prints how long it took differs in every run; what it computed need not. Such
    lines do not count, nor do addresses of objects.

    Returns:
        The two numbers, or None when no line differs.
    """
    digests = {trace.manifest.stdout["blake2b"] for trace in (a, b)}
    if len(digests) == 1 and digests != {""}:
        return None
    if starts_others(a) or starts_others(b):
        found = [_earlier_step(*unmatched.lines) for unmatched in _unmatched(a, b)]
        return (min(found), max(found)) if found else None
    found = []
    own = NamesOfProcesses(a).of(), NamesOfProcesses(b).of()
    for line, other in zip(_output_lines(a), _output_lines(b), strict=False):
        if printed_otherwise(line, other, addresses=False, own=own):
            found.append(_earlier_step(line, other))
    return (found[0], found[-1]) if found else None


def is_said_at_other_times(a: Trace, b: Trace) -> bool:
    """Whether printed text differs in nothing but which steps a run says something after.

    A script may tell how far it is every few seconds. What both say after the same step is the
    same, and so is what they say in the end, unless one of them said the like before.
    """
    steps: tuple[set[int], set[int]] = set(), set()
    last = min(int((trace.steps()["kind"] == _STEP).sum()) for trace in (a, b))
    of_a, of_b = (_lines_by_step(trace) for trace in (a, b))
    before = {
        form_of(line)
        for said in (of_a, of_b)
        for step, lines in said.items()
        for line in lines
        if step < last
    }
    for unmatched in _unmatched(a, b):
        for side, line in zip(steps, unmatched.lines, strict=True):
            if line is None:
                continue
            side.add(_earlier_step(line))
            at_the_end = _earlier_step(line) >= last
            if at_the_end and form_of(normal_form(_STEP_TAG.sub("", line))) not in before:
                return False
    if not steps[0] | steps[1] or not steps[0].isdisjoint(steps[1]):
        return False
    # After one step a run may say more than the other, and nothing else.
    pairs = ((of_a[step], of_b[step]) for step in of_a.keys() & of_b.keys())
    return all(one <= other or other <= one for one, other in pairs)


def starts_others(trace: Trace) -> bool:
    """Whether a run started threads or processes."""
    return any(row.source in ("thread", "process") for row in trace.ledger())


def lines_that_count(trace: Trace, *, by_main: bool = False) -> Iterator[str]:
    """The printed lines of a run, without what differs in each: durations, addresses, names.

    Those that came past `sys.stdout.write` stand behind the others, where the run is one process.

    Args:
        trace: The run.
        by_main: Whether to leave out what other threads than the main one printed as well.
    """
    text = "\n".join([*untagged(_output_lines(trace, by_main=by_main)), *_unlogged(trace)])
    own = NamesOfProcesses(trace).of()
    lines = map(without_addresses, comparable_lines(text))
    return (without_own_names(line, own) for line in lines)


def _lines_by_step(trace: Trace) -> dict[int, Counter[str]]:
    said: dict[int, Counter[str]] = {}
    for line, text in zip(lines_that_count(trace), _output_lines(trace), strict=False):
        said.setdefault(_earlier_step(text), Counter())[line] += 1
    return said


@dataclass(frozen=True)
class _Unmatched:
    """A printed line that only one of two runs has, beside the next such line of the other.

    Attributes:
        number: The line's number in the first run that has one, from 1.
        lines: The lines, with the number of the step before each; None where a run has no more.
    """

    number: int
    lines: tuple[str | None, str | None]


def _unmatched(a: Trace, b: Trace) -> Iterator[_Unmatched]:
    """Printed lines that only one run has, in whatever order threads and processes print them."""
    of_a, of_b = (list(zip(lines_that_count(t), _output_lines(t), strict=False)) for t in (a, b))
    left = Counter(line for line, _ in of_b)
    left.subtract(line for line, _ in of_a)
    only_a = list(_only_of(of_a, -left))
    only_b = list(_only_of(of_b, +left))
    for one, other in zip_longest(only_a, only_b):
        number = (one or other or (0, ""))[0]
        yield _Unmatched(number, (one[1] if one else None, other[1] if other else None))


def _only_of(lines: Sequence[tuple[str, str]], surplus: Counter[str]) -> Iterator[tuple[int, str]]:
    """Number and text of lines of which this run has more than the other: the last of each."""
    found = []
    for number, (line, text) in reversed(list(enumerate(lines, 1))):
        if surplus[line] > 0:
            surplus[line] -= 1
            found.append((number, text))
    return reversed(found)


def _said_of(found: _Unmatched) -> str:
    if None in found.lines:
        side = "A" if found.lines[0] is not None else "B"
        text = _STEP_TAG.sub("", found.lines[0] or found.lines[1] or "")
        return f"only run {side} printed line {found.number}: {_quoted(text)}"
    of_a, of_b = (_quoted(_STEP_TAG.sub("", text or "")) for text in found.lines)
    return f"printed line {found.number} differs: {of_a} in A, {of_b} in B"


def _earlier_step(*lines: str | None) -> int:
    """The number of the step that the first of some lines was printed after."""
    tags = [_STEP_TAG.match(line) for line in lines if line is not None]
    return min((int(tag[0]) for tag in tags if tag is not None), default=0)


def _output_lines(trace: Trace, *, by_main: bool = False) -> list[str]:
    """The lines of output.log, without those that are left out by `--ignore-output`.

    Args:
        trace: The run.
        by_main: Whether to leave out what other threads than the main one printed as well.
    """
    noted = trace.manifest.extra.get("printed_by_others") if by_main else None
    others = {n for n in noted if isinstance(n, int)} if isinstance(noted, list) else set()
    lines = [
        line
        for number, line in enumerate(trace.output().split("\n"))
        if number not in others and not is_ignored(_STEP_TAG.sub("", line))
    ]
    return without_timed_columns(lines, tagged=True)


def _cut_off(a: Trace, b: Trace) -> bool:
    return any(trace.manifest.stdout["truncated"] for trace in (a, b))


def _unlogged(trace: Trace) -> list[str]:
    """What one process printed, but not through `sys.stdout.write`."""
    lines = () if trace.manifest.processes else trace.manifest.other_output.get("lines", ())
    return [str(line) for line in lines]


def _quoted(line: str) -> str:
    return f"'{printable(line, 120)}'"
