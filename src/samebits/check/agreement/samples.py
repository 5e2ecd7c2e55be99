"""The samples that all ranks of a run have read for a step, whatever rank read which of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.agreement.ranks import Rank

_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class SamplesComparison:
    """The samples of two runs.

    Attributes:
        steps: In how many steps they were compared: those that every rank has noted, and for which
            both runs have read as many.
        others_in: The first step for which the runs have read other samples, as many of them; None
            where there is none.
        numbers: The first step for which they have read another number of samples, with the number
            in run A and in run B; None where there is none.
    """

    steps: int = 0
    others_in: int | None = None
    numbers: tuple[int, int, int] | None = None


def compare_samples(a: Sequence[Rank], b: Sequence[Rank], length: int) -> SamplesComparison:
    """Compare the samples that the ranks of each run have read together.

    Args:
        a: The ranks of run A, at least one.
        b: The ranks of run B, at least one.
        length: Steps that are compared.
    """
    of_a, of_b = _together(a), _together(b)
    both = [step for step in of_a if step in of_b and step < length]
    for number, step in enumerate(both):
        mine, theirs = of_a[step], of_b[step]
        if mine[0] != theirs[0]:
            return SamplesComparison(number, None, (step, mine[0], theirs[0]))
        if mine != theirs:
            return SamplesComparison(number + 1, step, None)
    return SamplesComparison(len(both))


def _together(ranks: Sequence[Rank]) -> dict[int, tuple[int, int]]:
    """Of each step that all ranks have noted: how many samples they read, and their digest."""
    noted = [
        {one["step"]: one["samples"] for one in rank.noted("steps") if _is_whole(one)}
        for rank in ranks
    ]
    return {
        step: (
            sum(own[step][0] for own in noted),
            sum(int(own[step][1], 16) for own in noted) % 2**64,
        )
        for step in sorted(set.intersection(*map(set, noted)))
    }


def _is_whole(entry: dict[str, Any]) -> bool:
    """Whether an entry of the manifest says what it should."""
    found = entry.get("samples")
    if type(entry.get("step")) is not int or not isinstance(found, list) or len(found) != 2:
        return False
    count, digest = found
    return type(count) is int and isinstance(digest, str) and bool(_DIGEST.fullmatch(digest))
