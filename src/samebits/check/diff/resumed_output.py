"""What a resumed run prints, against what the straight run printed in the same steps.

Lines are compared from the resumed run's first finished step on: before it, a run that resumes says
that it does. Times differ in every run, and so may whatever differs between two straight runs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.core.catalog.measurements import normal_form
from samebits.core.names import printable

_TAG = re.compile(r"^(\d+)\t")
_TAG_WITHIN = re.compile(r"([\x0b\x0c\x1c-\x1e\x85\u2028\u2029])\d+\t")
_BAR = re.compile(r"\d+%\|[^|]*\|\s*\S+/\S+|\?\s*(?:it/s|s/it)|\d[\d.]*\s*(?:it/s|s/it)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")
_SIZE = re.compile(r"\d[\d.,]*\s*(?:[KMGT]i?B|bytes)\b", re.IGNORECASE)
_OF_THE_PROCESS = re.compile(r"\b(?:in|after|pid|dt|secs?)\W*$", re.IGNORECASE)
_DATES = range(1_400_000_000, 2_400_000_000)  # seconds since 1970, from 2014 to 2046
_WORDS = -1  # in place of a number's position: the words differ


@dataclass(frozen=True)
class Line:
    """A printed line.

    Attributes:
        number: Counted from 1.
        step: Optimizer steps that its process had done.
        text: What a terminal would show of it in the end.
    """

    number: int
    step: int
    text: str

    @cached_property
    def numbers(self) -> list[str]:
        """Its numbers in order; "#" in place of a duration or a date."""
        numbers, end = [], 0
        for found in _NUMBER.finditer(self._clean):
            before = self._clean[end : found.start()]
            numbers.append("#" if _is_of_the_process(before, found[0]) else found[0])
            end = found.end()
        return numbers

    @cached_property
    def words(self) -> str:
        """The line with a sign in place of each number."""
        return " ".join(_NUMBER.sub("#", self._clean).split())

    @cached_property
    def _clean(self) -> str:
        return normal_form(_SIZE.sub("#", _BAR.sub("#", self.text)))


@dataclass(frozen=True)
class LineDifference:
    """A line of the straight run and the other run's, None where it has none.

    Attributes:
        places: Positions of the numbers that differ; (-1,) where the words do.
    """

    mine: Line | None
    theirs: Line | None
    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class Compared:
    """Two runs' lines, in order: what agrees and what does not."""

    agreeing: frozenset[int]
    differences: tuple[LineDifference, ...]

    @property
    def paired(self) -> Iterator[LineDifference]:
        """Differences between lines that both runs have."""
        return (one for one in self.differences if one.mine and one.theirs)


def printed_divergence(
    straight: Trace,
    killed: Trace,
    resumed: Trace,
    begin: int,
    repeated: Callable[[], Trace],
) -> tuple[Divergence | None, list[str]]:
    """What the resumed run prints otherwise than the straight one, though every step agrees.

    Args:
        straight: The straight run.
        killed: The killed run, a straight one as far as it went.
        resumed: The resumed run.
        begin: The straight run's step that the resumed run's first one is; above 0.
        repeated: Makes a second straight run. Asked only where something differs that does not
            differ between the straight run and the killed one.

    Returns:
        The first line with a number or words that two straight runs agree in and the resumed one
        has otherwise, or None; notes on what cannot be told.
    """
    mine, first_part = printed_lines(straight), printed_lines(killed)
    last = max((line.step for line in first_part), default=-1)
    so_far = compare_lines([line for line in mine if line.step < last], first_part)
    found = compare_lines(mine, printed_lines(resumed), begin)
    found = without_unstable(found, _before(so_far, last))
    found, counter = without_counters(found, begin)
    notes = []
    if any(found.paired):
        again = repeated()
        if again.manifest.exit["code"] == 0:
            also = compare_lines(mine, printed_lines(again))
            found = without_unstable(found, also)
            for one in found.paired:
                if one.mine is not None and one.mine.number in also.agreeing:
                    detail = sentence(one)
                    step = one.mine.step
                    return Divergence(
                        kind="printed", step=step, phase="optimizer", op="print", detail=detail
                    ), ["A is the straight run, B the resumed one"]
        else:
            notes.append(
                f"{sentence(next(found.paired))} (A: straight, B: resumed); a second "
                "straight run failed, so whether that differs in every run cannot be told"
            )
    alone = next((one for one in found.differences if not (one.mine and one.theirs)), None)
    for left, what in (
        (counter, "whether that counts what each process has done, or was lost, cannot be told"),
        (alone, "whether a count began anew or something was lost cannot be told"),
    ):
        if left is not None:
            notes.append(f"{sentence(left)} (A: straight, B: resumed); {what}")
    return None, notes


def _before(compared: Compared, step: int) -> Compared:
    """Differences of lines that were printed before a step: then the killed run ends."""
    return Compared(
        compared.agreeing,
        tuple(
            one
            for one in compared.differences
            if all(line is None or line.step < step for line in (one.mine, one.theirs))
        ),
    )


def printed_lines(trace: Trace) -> list[Line]:
    """What a run printed, as far as it was kept."""
    lines = []
    texts = trace.output().split("\n")
    if not texts[-1]:
        del texts[-1]
    elif trace.manifest.stdout["truncated"]:
        del texts[-1]  # cut off in the middle
    for number, text in enumerate(texts, 1):
        # A progress bar writes over itself: what stands there in the end is what is compared.
        shown = [piece for piece in text.split("\r") if _TAG.sub("", piece).strip()]
        last = shown[-1] if shown else ""
        found = _TAG.match(last) or _TAG.match(text)
        clean = _TAG_WITHIN.sub(r"\1", _TAG.sub("", last, count=1))
        lines.append(Line(number, int(found[1]) if found else 0, clean))
    return lines


def compare_lines(mine: Sequence[Line], theirs: Sequence[Line], begin: int = 0) -> Compared:
    """Compare what was printed after each step.

    Args:
        mine: The straight run's lines.
        theirs: The other run's.
        begin: The straight run's step that the other's first one is.

    Returns:
        Numbers of the lines that agree, and the differences. With `begin` above 0, lines before the
        other's first finished step count in neither run.
    """
    steps: dict[int, tuple[list[Line], list[Line]]] = defaultdict(lambda: ([], []))
    for line in mine:
        steps[line.step][0].append(line)
    for line in theirs:
        steps[line.step + begin][1].append(line)
    agreeing: set[int] = set()
    differences: list[LineDifference] = []
    early = {line.words for line in mine if line.step <= 1}
    for step in sorted(steps):
        if begin and step <= begin:
            continue
        for first, other in _pairs(*steps[step]):
            if first is None or other is None:
                # What the straight run said as it began, the other one says as it begins.
                starts = begin and other is not None and other.step <= 1 and other.words in early
                if not starts:
                    differences.append(LineDifference(first, other))
                continue
            places = _differing(first, other)
            if places:
                differences.append(LineDifference(first, other, places))
            else:
                agreeing.add(first.number)
    return Compared(frozenset(agreeing), tuple(differences))


def without_unstable(found: Compared, repeated: Compared) -> Compared:
    """`found` without what differs between two straight runs as well, wherever it stands."""
    unstable = {
        (line.words, place)
        for one in repeated.differences
        for line in (one.mine, one.theirs)
        if line is not None
        for place in one.places or (_WORDS,)
    }
    kept = []
    for one in found.differences:
        words = {line.words for line in (one.mine, one.theirs) if line is not None}
        places = tuple(
            place
            for place in one.places or (_WORDS,)
            if not any((text, place) in unstable or (text, _WORDS) in unstable for text in words)
        )
        if places:
            kept.append(LineDifference(one.mine, one.theirs, places if one.places else ()))
    return Compared(found.agreeing, tuple(kept))


def without_counters(found: Compared, begin: int) -> tuple[Compared, LineDifference | None]:
    """`found` without whole numbers that count what this process has done.

    A run that resumes at step 8 and says "6 steps" where the straight one says "14" may have lost a
    counter, or count its own steps: it cannot be told.

    Returns:
        The rest, and the first difference that was left out.
    """
    values: dict[tuple[str, int], list[tuple[Line, Line]]] = defaultdict(list)
    for one in found.paired:
        for place in one.places:
            if place != _WORDS and one.mine is not None and one.theirs is not None:
                values[one.mine.words, place].append((one.mine, one.theirs))
    counters = {key for key, pairs in values.items() if _counts(key[1], pairs, begin)}
    kept, left = [], None
    for one in found.differences:
        words = one.mine.words if one.mine is not None else ""
        places = tuple(place for place in one.places if (words, place) not in counters)
        if places or not one.places:
            kept.append(LineDifference(one.mine, one.theirs, places))
        elif left is None:
            left = one
    return Compared(found.agreeing, tuple(kept)), left


def sentence(found: LineDifference) -> str:
    """What differs, with both lines, run A being the straight one."""
    if found.mine is None or found.theirs is None:
        side, line = ("A", found.mine) if found.mine is not None else ("B", found.theirs)
        assert line is not None
        return f"run {side} prints {_quoted(line)} after step {line.step}, the other does not"
    return (
        f"printed line {found.mine.number} differs: {_quoted(found.mine)} in A, "
        f"{_quoted(found.theirs)} in B"
    )


def _pairs(
    mine: Sequence[Line], theirs: Sequence[Line]
) -> Iterator[tuple[Line | None, Line | None]]:
    """Lines that belong to each other, and those of each run that no other belongs to."""
    words, others = ([line.words for line in lines] for lines in (mine, theirs))
    if words == others:
        yield from zip(mine, theirs, strict=True)
        return
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        alike = j - i == m - k and all(
            _first_word(one) == _first_word(other)
            for one, other in zip(mine[i:j], theirs[k:m], strict=True)
        )
        if kind == "equal" or alike:
            yield from zip(mine[i:j], theirs[k:m], strict=True)
        else:
            yield from ((line, None) for line in mine[i:j])
            yield from ((None, line) for line in theirs[k:m])


def _first_word(line: Line) -> str:
    return line.words.partition(" ")[0]


def _differing(first: Line, other: Line) -> tuple[int, ...]:
    if first.words != other.words:
        return (_WORDS,)
    return tuple(
        place
        for place, (one, another) in enumerate(zip(first.numbers, other.numbers, strict=True))
        if one != another and "#" not in (one, another)
    )


def _is_of_the_process(before: str, number: str) -> bool:
    """Whether a number is a duration, a date in seconds or the like, by what stands before it."""
    whole = number.partition(".")[0]
    is_date = whole.isdigit() and int(whole[:12]) in _DATES
    return is_date or _OF_THE_PROCESS.search(before) is not None


def _counts(place: int, pairs: Sequence[tuple[Line, Line]], begin: int) -> bool:
    """Whether one number of some lines counts from where its process began."""
    values = [(mine.numbers[place], theirs.numbers[place]) for mine, theirs in pairs]
    if not all(text.isdigit() for pair in values for text in pair):
        return False
    numbers = [(int(one), int(other)) for one, other in values]
    behind = {one - other for one, other in numbers}
    if len(numbers) == 1:
        (least,) = behind
        return least > 0 and (least % begin == 0 or begin % least == 0)
    return max(behind) - min(behind) <= 1 and min(behind) >= 0


def _quoted(line: Line) -> str:
    return f"'{printable(line.text, 120)}'"
