"""The slice of a graph, ready to print: its parts in order, each with what brought it there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.check.diff.explanation import CarriedTensor, GraphSlice, SlicePart
from samebits.check.report.printable import printable_name
from samebits.check.report.source import place_text, quote

_GOALS = {
    "loss": "to the loss of step {}",
    "optimizer": "to the optimizer, in step {}",
    "end": "in step {}",
}
_MOST_NAMED = 2
_JOINED = {"operation": "", "line": ", those of one line together", "module": ", by module"}


@dataclass(frozen=True, kw_only=True)
class SliceStep:
    """One part of a slice; every text is ready to print.

    Attributes:
        number: Counted from 1.
        title: The operation: "aten.addmm"; of several the module: "layers.0, 39 operations".
        ops: Of several, which ones: "aten.mm, aten.add.Tensor and 37 more"; or "".
        is_goal: Whether it made what the slice leads to.
        phase: "forward".
        place: "train.py:12", or "".
        code: The line of source, or "".
        module: Path of its module, or "".
        given: What brought the difference: "given float32[32, 64] from 1", or "".
        size: How far the results lie apart, or "".
    """

    number: int
    title: str
    ops: str
    is_goal: bool
    phase: str
    place: str
    code: str
    module: str
    given: str
    size: str


@dataclass(frozen=True, kw_only=True)
class SliceView:
    """A slice; every text is ready to print.

    Attributes:
        title: "How the difference went to the loss of step 0".
        what: Sentences on all of it.
        steps: Its parts, in the order in which they ran.
        sources: For each part the numbers, from 0, of those that it was given something by.
    """

    title: str
    what: tuple[str, ...]
    steps: tuple[SliceStep, ...]
    sources: tuple[tuple[int, ...], ...]


def slice_view(found: GraphSlice) -> SliceView | None:
    """What is shown of a slice; None where the difference went nowhere."""
    if len(found.parts) < 2:
        return None
    return SliceView(
        title=f"How the difference went {_GOALS[found.goal].format(f'{found.step:,}')}",
        what=tuple(_sentences(found)),
        steps=tuple(_step(number, part, found) for number, part in enumerate(found.parts, 1)),
        sources=tuple(
            tuple(one.source for one in part.given if 0 <= one.source < number)
            for number, part in enumerate(found.parts)
        ),
    )


def _sentences(found: GraphSlice) -> Iterator[str]:
    joined = _JOINED[found.joined]
    yield f"{_counted(found.operations)} on the way, as two further runs noted them{joined}"
    if found.loss is False:
        yield "the loss of this step has the same bits; the difference went on into the gradients"
    beside = found.reached - found.operations
    if beside > 0:
        yield f"{_counted(beside)} beside the way {_verb(beside)} other bits because of it"
    if found.absorbed:
        yield (
            f"{_counted(found.absorbed)} {'was' if found.absorbed == 1 else 'were'} given other "
            "bits because of it, and gave the same"
        )
    if found.others > 0:
        verb = "differs" if found.others == 1 else "differ"
        yield f"{_counted(found.others)} {verb} by other causes, such as further random draws"


def _counted(count: int) -> str:
    return f"{count:,} operation{'' if count == 1 else 's'}"


def _verb(count: int) -> str:
    return "has" if count == 1 else "have"


def _step(number: int, part: SlicePart, whole: GraphSlice) -> SliceStep:
    place = code = ""
    if part.file:
        place = place_text(part.file, part.line)
        quoted = quote(part.file, part.line, around=0)
        code = quoted.lines[0][1].strip() if quoted is not None else ""
    return SliceStep(
        number=number,
        title=_title(part),
        ops=_ops(part),
        is_goal=part.is_goal and whole.goal == "loss",
        phase=printable_name(part.phase, 20),
        place=place,
        code=code,
        module=printable_name(part.module, 80) if part.operations == 1 else "",
        given=_given([one for one in part.given if 0 <= one.source < number - 1]),
        size=_size(part),
    )


def _title(part: SlicePart) -> str:
    if part.operations == 1 and part.ops:
        return printable_name(part.ops[0], 80)
    module = printable_name(part.module, 80)
    return f"{module}, {_counted(part.operations)}" if module else _counted(part.operations)


def _ops(part: SlicePart) -> str:
    if part.operations == 1:
        return ""
    names = ", ".join(printable_name(op, 80) for op in part.ops)
    more = part.operations - len(part.ops)
    return f"{names} and {more:,} more" if more > 0 else names


def _given(tensors: Sequence[CarriedTensor]) -> str:
    """What brought the difference, and from where."""
    if not tensors:
        return ""
    numbers = [str(one.source + 1) for one in tensors]
    if len(numbers) > _MOST_NAMED:
        count = len(tensors) + sum(one.others for one in tensors)
        return f"given {count:,} tensors from {', '.join(numbers[:-1])} and {numbers[-1]}"
    named = (
        f"{printable_name(one.signature, 60)}{_more(one.others)} from {number}"
        for one, number in zip(tensors, numbers, strict=True)
    )
    return f"given {' and '.join(named)}"


def _more(others: int) -> str:
    return f" and {others:,} more" if others else ""


def _size(part: SlicePart) -> str:
    if part.max_ulp is None or part.max_relative is None:
        return ""
    if part.max_relative > 1e-3:
        return f"results up to {100 * part.max_relative:.3g} % apart"
    return f"results up to {part.max_ulp:,} ULP apart"
