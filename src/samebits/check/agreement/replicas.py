"""Replicas that no longer hold the same: the first step, the tensors, and the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from samebits.check.agreement.drawn_apart import drawn_apart
from samebits.check.agreement.gathered import gathered_disagree
from samebits.check.agreement.rank_rows import first_unshared_row
from samebits.check.agreement.ranks import Rank, are_replicas, named, place_of, share_shards
from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.schema import NO_SITE
from samebits.core.names import printable

_SHOWN = 3


@dataclass(frozen=True)
class _Disagreement:
    """The first step after which ranks do not hold the same.

    Attributes:
        step: Its number, from the first one that the ranks have in common.
        what: The digest that differs.
        tensors: Which tensors, in words; "" where that is not known.
    """

    step: int
    what: str
    tensors: str = ""


def replicas_disagree(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Parameters, optimizers and buffers that ranks should share.

    Ranks count as replicas where each has wrapped a module to be one, or where they have held the
    same after a step.
    """
    if len(ranks) < 2:
        return
    wrapped = are_replicas(ranks)
    if share_shards(ranks):
        yield from gathered_disagree(ranks)
        if not wrapped:
            return  # each holds another part
    disagreement = _parameters(ranks) if wrapped else None
    disagreement = disagreement or _digests(
        ranks, ("optimizer",) if wrapped else ("parameters", "optimizer")
    )
    if disagreement is not None:
        yield _told(ranks, disagreement)
    elif wrapped:
        yield from _buffers(ranks)


def _parameters(ranks: Sequence[Rank]) -> _Disagreement | None:
    """The first step noted by name after which parameters of wrapped modules differ for good.

    What agrees again later was brought together on purpose: by an optimizer that takes a step of
    its own on a part of the parameters and then sends them to all ranks, or by an average.
    """
    buffers = {
        f"{number}:{name}"
        for number, entry in enumerate(ranks[0].noted("modules"))
        for name in entry.get("tensors", ())
    }
    found = None
    for step, tensors in _noted_steps(ranks):
        differing = [name for name in _differing(tensors) if name not in buffers]
        if found is not None and not differing:
            return None
        if found is None and differing:
            found = _Disagreement(step, "parameters", listed_tensors(differing))
    return found


def _digests(ranks: Sequence[Rank], names: Sequence[str]) -> _Disagreement | None:
    """The first step after which digests differ that agreed after the first one."""
    steps = [rank.steps() for rank in ranks]
    length = min(len(one["step"]) for one in steps)
    for what in names if length else ():
        values = np.stack([one[what][:length] for one in steps])
        differ = (values != values[0]).any(axis=0) & (values != 0).all(axis=0)
        if differ.any() and not differ[0]:
            return _Disagreement(
                int(steps[0]["step"][int(differ.argmax())]) - ranks[0].first_step, what
            )
    return None


def _told(ranks: Sequence[Rank], disagreement: _Disagreement) -> RunFinding:
    of = f" ({disagreement.tensors})" if disagreement.tensors else ""
    differ = "differ" if disagreement.what == "parameters" else "differs"
    step = disagreement.step + ranks[0].first_step
    detail = f"after step {step} the {disagreement.what} of {named(ranks)} {differ}{of}"
    row = first_unshared_row(ranks, disagreement.step)
    if row is not None:
        evidence = f"only rank {row.rank} does {row.op} there"
        fix = (
            "Do on every rank what this line does, or on none: what changes gradients or "
            "parameters on one rank alone, after they were averaged, takes the replicas apart."
        )
        return _finding(ranks, detail, (row.file, row.line), evidence, fix)
    if (uneven := _uneven(ranks)) is not None:
        fix = (
            "Take every optimizer step on all ranks or on none: decide by a value that all of them "
            "know, such as one that was reduced over them."
        )
        return _finding(ranks, detail, _line_of_step(ranks[0], disagreement.step), uneven, fix)
    anew = drawn_apart(ranks) if disagreement.step == 0 else None
    if anew is not None and anew.site is not None:
        evidence = (
            f"a tensor is filled there with other random numbers on each rank "
            f"({printable(anew.op, 100)}), after the replicas were made equal"
        )
        fix = (
            "Draw weights before the module is wrapped, which sends rank 0's to all ranks, or draw "
            "them from a generator with the same seed on every rank."
        )
        return _finding(ranks, detail, (anew.site.file, anew.site.line), evidence, fix)
    fix = (
        "Build the model from the same seed on every rank, or broadcast its parameters, before the "
        "first step; average gradients over all ranks before each step; and change nothing on one "
        "rank alone after that."
    )
    place = _line_of_step(ranks[0], disagreement.step)
    return _finding(
        ranks, detail, place, "the parameters that each rank notes after a step are compared", fix
    )


def _uneven(ranks: Sequence[Rank]) -> str | None:
    """Which ranks take fewer steps than others, in words; None where all have ended alike."""
    ended = all(rank.trace.manifest.exit["reason"] == "finished" for rank in ranks)
    counts = [len(rank.steps()["step"]) for rank in ranks]
    if not ended or len(set(counts)) == 1:
        return None
    few, many = counts.index(min(counts)), counts.index(max(counts))
    return (
        f"rank {ranks[few].number} takes {counts[few]} optimizer step{'s' * (counts[few] != 1)}, "
        f"rank {ranks[many].number} takes {counts[many]}"
    )


def _buffers(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Buffers that nobody synchronises; those that are, agree at the next forward pass."""
    unsynchronised = [
        number
        for number, entry in enumerate(ranks[0].noted("modules"))
        if not entry.get("buffers", True)
    ]
    for step, tensors in _noted_steps(ranks):
        for number in unsynchronised:
            entry = ranks[0].noted("modules")[number]
            buffers = {f"{number}:{name}" for name in entry.get("tensors", ())}
            differing = [name for name in _differing(tensors) if name in buffers]
            if differing:
                at = step + ranks[0].first_step
                shown = f"after step {at} the buffers of {named(ranks)} differ"
                yield _finding(
                    ranks,
                    f"{shown} ({listed_tensors(differing)})",
                    place_of(entry),
                    "the wrapped module does not broadcast its buffers",
                    "Leave broadcast_buffers at True, or convert the model with "
                    "torch.nn.SyncBatchNorm.convert_sync_batchnorm before it is wrapped.",
                )
                return


def _noted_steps(ranks: Sequence[Rank]) -> Iterator[tuple[int, list[dict[str, str]]]]:
    by_step = [
        {int(one["step"]) - rank.first_step: one["tensors"] for one in rank.noted("steps")}
        for rank in ranks
    ]
    for step in sorted(set.intersection(*map(set, by_step)) if by_step else ()):
        yield step, [one[step] for one in by_step]


def _differing(tensors: Sequence[dict[str, str]]) -> list[str]:
    first, *others = tensors
    return [name for name in first if any(other.get(name) != first[name] for other in others)]


def listed_tensors(names: Sequence[str]) -> str:
    """The first few of tensors noted by name, in words: "0.weight, 0.bias and 2 more"."""
    plain = [printable(name.partition(":")[2].removeprefix("module."), 80) for name in names]
    more = f" and {len(plain) - _SHOWN} more" if len(plain) > _SHOWN else ""
    return ", ".join(plain[:_SHOWN]) + more


def _line_of_step(rank: Rank, index: int) -> tuple[str | None, int | None]:
    sites = rank.steps()["site"]
    number = int(sites[index]) if index < len(sites) else NO_SITE
    if number == NO_SITE:
        return None, None
    site = rank.trace.sites()[number]
    return site.file, site.line


def _finding(
    ranks: Sequence[Rank],
    detail: str,
    place: tuple[str | None, int | None],
    evidence: str,
    fix: str,
) -> RunFinding:
    return RunFinding(
        code="replicas-disagree",
        detail=detail,
        process=named(ranks),
        file=place[0],
        line=place[1],
        evidence=evidence,
        fix=fix,
    )
