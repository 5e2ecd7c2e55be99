"""Shares of data that a script deals out itself: samples that two ranks read, or that none does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from samebits.check.agreement.ranks import Rank, are_replicas, named, place_of
from samebits.check.diff.verdict import RunFinding

_FEWEST_ALIKE = 4
"""Samples of the same content may be two samples; so many are none by chance where no rank has any
twice."""
_DEALT_OUT = (
    "Deal the samples out so that each goes to one rank: "
    "Subset(dataset, range(rank, len(dataset), world_size)), or a DistributedSampler."
)
_LEFT_OVER = (
    "Give the DataLoader a DistributedSampler, which repeats a few samples to come out even, or "
    "shuffle the numbers anew in each epoch before they are cut into shares, so that it is not "
    "always the same samples that are left out."
)


@dataclass(frozen=True)
class Least:
    """The least digests of what a rank has read, see `samebits.check.record.least_digests`."""

    digests: frozenset[str]
    greatest: str
    whole: bool

    def common(self, other: Least) -> tuple[int, int]:
        """How many digests both hold, of how many as far as both reach."""
        ends = [one.greatest for one in (self, other) if not one.whole]
        end = min(ends, default="g")
        mine, theirs = ({d for d in one.digests if d <= end} for one in (self, other))
        return len(mine & theirs), min(len(mine), len(theirs))


@dataclass(frozen=True)
class _Share:
    """What one rank reads in an epoch.

    Attributes:
        count: How many samples.
        least: The least digests of the samples' content, or of their numbers.
    """

    count: int
    least: Least


def overlapping_shares(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Ranks of which each reads samples of its own, and some that another one reads as well.

    Where the script deals out numbers, one is enough. Else samples are compared by their content,
    and only where every rank reads the same ones in each epoch: what is drawn anew may meet.
    """
    if not are_replicas(ranks):
        return
    for epochs in trained_epochs(ranks):
        shares, fewest = _by_numbers(epochs), 1
        if shares is None:
            shares, fewest = _by_content(ranks, epochs), _FEWEST_ALIKE
        for (a, one), (b, other) in combinations(zip(ranks, shares or (), strict=False), 2):
            common, of = one.least.common(other.least)
            alike = common == of and one.count == other.count
            if common < fewest or (alike and (fewest > 1 or read_alike(epochs))):
                continue  # that all read the same by content is told elsewhere
            file, line = place_of(epochs[0])
            yield RunFinding(
                code="duplicate-data",
                detail=f"{named([a, b])} both read {_how_many(common, of, one, other)}",
                process=named(ranks),
                file=file,
                line=line,
                evidence="the shares of the ranks overlap, "
                + ("by the numbers of their samples" if fewest == 1 else "in every epoch alike"),
                fix=_DEALT_OUT,
            )
            return


def missing_from_shares(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Shares as long as each other, that end before the data set does where that is not divisible.

    What else no rank reads may be held back, for validation.
    """
    if not are_replicas(ranks):
        return
    for epochs in trained_epochs(ranks):
        shares = _by_numbers(epochs)
        if shares is None or any(a.least.common(b.least)[0] for a, b in combinations(shares, 2)):
            continue
        noted = [epoch["share"] for epoch in epochs]
        among, read = noted[0]["of"], sum(share.count for share in shares)
        left = among - read
        first, last = min(one["first"] for one in noted), max(one["last"] for one in noted)
        in_a_row = (first, last) == (0, read - 1)
        in_a_row = in_a_row and sum(one["sum"] for one in noted) == read * (read - 1) // 2
        if not in_a_row or not 0 < left < len(ranks) or len({one.count for one in shares}) > 1:
            continue
        file, line = place_of(epochs[0])
        which = (
            f"the last {left} of {among} samples are"
            if left > 1
            else f"the last of {among} samples is"
        )
        yield RunFinding(
            code="missing-data",
            detail=f"{which} read by no rank",
            process=named(ranks),
            file=file,
            line=line,
            evidence=f"each rank reads {shares[0].count} samples, and {among} cannot be divided by "
            f"{len(ranks)}",
            fix=_LEFT_OVER,
        )
        return


def read_alike(epochs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all ranks read the same samples in an epoch, by their content."""
    first, *others = [epoch.get("samples") for epoch in epochs]
    return _is_known(first) and all(one == first for one in others)


def _how_many(common: int, of: int, one: _Share, other: _Share) -> str:
    fewer = min(one.count, other.count)
    if one.least.whole and other.least.whole:
        return f"{common} of {fewer} samples" if common > 1 else f"one of {fewer} samples"
    return f"about {round(fewer * common / of)} of {fewer} samples"


def trained_epochs(ranks: Sequence[Rank]) -> Iterator[tuple[dict[str, Any], ...]]:
    """Epochs in which every rank made steps, one of each rank, in their order."""
    for epochs in zip(*(rank.noted("epochs") for rank in ranks), strict=False):
        if all(map(_makes_steps, epochs)):
            yield epochs


def _makes_steps(epoch: Mapping[str, Any]) -> bool:
    """Whether a rank took optimizer steps in an epoch: an evaluation is none that trains."""
    steps = epoch.get("steps")
    if not isinstance(steps, list) or [type(step) for step in steps] != [int, int]:
        return False
    return bool(steps[1] > steps[0])


def _is_known(samples: Any) -> bool:
    """Whether it is a number of samples and their digest."""
    return isinstance(samples, list) and [type(one) for one in samples] == [int, str]


def _by_numbers(epochs: Sequence[Mapping[str, Any]]) -> list[_Share] | None:
    """What each rank reads by the numbers of a data set; None where those are not all known."""
    shares = []
    among = set()
    for epoch in epochs:
        noted = epoch.get("share")
        names = ("of", "count", "first", "last", "sum")
        if not isinstance(noted, dict) or any(type(noted.get(name)) is not int for name in names):
            return None
        least = _least(noted.get("least"))
        if least is None:
            return None
        among.add(noted["of"])
        shares.append(_Share(noted["count"], least))
    return shares if len(among) == 1 else None


def _by_content(ranks: Sequence[Rank], epochs: Sequence[Mapping[str, Any]]) -> list[_Share] | None:
    """What each rank reads by content, where it is the same in another epoch as well."""
    shares = []
    for rank, epoch in zip(ranks, epochs, strict=True):
        samples, least = epoch.get("samples"), _least(epoch.get("least"))
        if least is None or not _is_known(samples):
            return None
        alike = [one for one in rank.noted("epochs") if one.get("samples") == samples]
        if sum(map(_makes_steps, alike)) < 2:
            return None
        shares.append(_Share(int(epoch["samples"][0]), least))
    return shares


def _least(noted: Any) -> Least | None:
    """The digests; None where a sample was read twice, or where something else is written there."""
    if not isinstance(noted, dict) or noted.get("repeats") is not False:
        return None
    digests = noted.get("digests")
    if not isinstance(digests, list) or not all(isinstance(one, str) for one in digests):
        return None
    if not digests:
        return None
    return Least(frozenset(digests), max(digests), noted.get("whole") is True)
