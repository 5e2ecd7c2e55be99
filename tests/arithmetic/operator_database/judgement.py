"""All ways of calling one entry in one dtype, held against each other, in one process."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from tests.arithmetic.operator_database.inputs import (
    Inputs,
    channels_last,
    expanded,
    plain,
    strided,
    unexpanded,
)
from tests.arithmetic.operator_database.outcome import (
    BITS,
    NOTHING,
    REFUSED,
    WRONG,
    Call,
    Outcome,
    outcomes,
)

REFERENCE = (1, Call("function", plain, "gradients"))
SPREAD = (1, Call("function", unexpanded, "gradients"))

WAYS = {
    1: [
        Call("function", strided, "no_grad"),
        Call("function", channels_last, "inference_mode"),
        Call("function", expanded, "no_grad"),
        Call("in place", plain, "no_grad"),
    ],
    2: [
        Call("function", strided, "gradients"),
        Call("function", plain, "inference_mode"),
        Call("function", channels_last, "no_grad"),
        Call("function", expanded, "inference_mode"),
        Call("in place", channels_last, "inference_mode"),
        Call("out", strided, "no_grad"),
    ],
    7: [
        Call("function", plain, "no_grad"),
        Call("function", strided, "inference_mode"),
        Call("function", channels_last, "gradients"),
        Call("function", expanded, "gradients"),
        Call("in place", strided, "no_grad"),
        Call("out", plain, "inference_mode"),
    ],
}
"""By the number of threads: each layout in each mode, each mode with each number of threads."""


ABOUT_MEMORY = ("as_strided", "as_strided_copy", "as_strided_scatter")
"""Entries that say where in memory they read: another layout is another question."""


@dataclass
class Judged:
    """What one sample has come to.

    Attributes:
        forward: A kind of outcome.
        backward: A kind of outcome.
        refused_ways: "in place", "out" or a layout, where that is refused and the plain one is
            not, or the other way round.
        why: The operation that is refused and the reason, where one is.
        bits: The digests of both passes, which other capabilities must have as well.
        problems: What must not be, in words.
    """

    forward: str = NOTHING
    backward: str = NOTHING
    refused_ways: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    bits: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def judged(entry: Any, samples: list[Any], inputs: list[Inputs]) -> list[dict[str, Any]]:
    """Call an entry in every way with every sample."""
    found = [Judged() for _ in samples]
    right: dict[tuple[int, str], tuple[Outcome, Outcome]] = {}
    before = torch.get_num_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for threads, calls in WAYS.items():
            torch.set_num_threads(threads)
            for place, (sample, given) in enumerate(zip(samples, inputs, strict=True)):
                if threads == 1:
                    _settle(found[place], right, place, entry, sample, given)
                settled = right[place, "plain"][0].kind
                for call in calls:
                    if _makes_sense(entry, sample, call) and _is_worth_it(settled, call):
                        got = outcomes(entry, sample, given, call)
                        name = "expanded" if call.layout is expanded else "plain"
                        how = f"{call}, {threads} threads"
                        _compare(found[place], right[place, name], got, call, how)
    torch.set_num_threads(before)
    return [asdict(one) for one in found]


def _settle(
    judged: Judged, right: dict[Any, Any], place: int, entry: Any, sample: Any, given: Inputs
) -> None:
    """Compute what the other ways are held against."""
    for name, (_, call) in (("plain", REFERENCE), ("expanded", SPREAD)):
        forward, backward = right[place, name] = outcomes(entry, sample, given, call)
        for what, one in (("forward", forward), ("backward", backward)):
            if one.kind == WRONG:
                judged.problems.append(f"{what}: {call}: {one.text}")
            if one.kind == REFUSED and one.text not in judged.why:
                judged.why.append(one.text)
        judged.bits += [one.text for one in (forward, backward) if one.kind == BITS]
    judged.forward, judged.backward = (one.kind for one in right[place, "plain"])


def _makes_sense(entry: Any, sample: Any, call: Call) -> bool:
    if entry.name in ABOUT_MEMORY and call.layout is not plain:
        return False
    if call.form == "in place":
        return entry.inplace_variant is not None and not sample.broadcasts_input
    if call.form == "out":
        return bool(entry.supports_out)
    return True


def _is_worth_it(settled: str, call: Call) -> bool:
    """Whether a way can add anything: what is refused is refused before its memory is looked at."""
    return settled == BITS or (call.form == "function" and call.layout is plain)


def _compare(
    judged: Judged,
    right: tuple[Outcome, Outcome],
    got: tuple[Outcome, Outcome],
    call: Call,
    how: str,
) -> None:
    for what, wanted, one in zip(("forward", "backward"), right, got, strict=True):
        if one.kind == WRONG:
            judged.problems.append(f"{what}: {how}: {one.text}")
        elif {one.kind, wanted.kind} == {BITS, REFUSED}:
            if call.form != "function":
                refused = call.form
            elif call.layout is not plain:
                refused = call.layout.__name__
            else:
                text = one.text if one.kind == REFUSED else wanted.text
                judged.problems.append(f"{what}: {how}: {one.kind}, not {wanted.kind}: {text}")
                continue
            if refused not in judged.refused_ways:
                judged.refused_ways.append(refused)
        elif one.kind == wanted.kind == BITS and _differ(one, wanted, call):
            judged.problems.append(f"{what}: {how}: other bits")


def _differ(one: Outcome, wanted: Outcome, call: Call) -> bool:
    """Whether results differ; what is written in place may have another shape or dtype."""
    comparable = one.text.split(":")[0] == wanted.text.split(":")[0]
    return one.text != wanted.text and (comparable or call.form != "in place")
