"""What should differ between ranks or epochs and is the same: random numbers, samples, orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from samebits.check.agreement.draws import shared_draws
from samebits.check.agreement.noise import shared_noise
from samebits.check.agreement.ranks import Rank, are_replicas, named, place_of, share_shards
from samebits.check.agreement.shares import read_alike, trained_epochs
from samebits.check.diff.verdict import RunFinding
from samebits.core.names import printable

_FEWEST_BATCHES = 2
_FEWEST_SAMPLES = 8
"""So few may be the same on purpose."""
_SAMPLER = (
    "Give the DataLoader a DistributedSampler: DataLoader(dataset, "
    "sampler=DistributedSampler(dataset), ...), without shuffle=True."
)
_LOADER = "torch.utils.data.dataloader."


def identical_randomness(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Random numbers that every rank draws alike in its forward pass: masks, and noise."""
    if not are_replicas(ranks) and not share_shards(ranks):
        return
    drawn = [draw.row for draw in shared_draws(ranks)]
    for row in (*drawn, *shared_noise(ranks)):
        assert row.site is not None
        yield RunFinding(
            code="identical-randomness",
            detail=f"{named(ranks)} draw the same random numbers at {printable(row.op, 80)}",
            process=named(ranks),
            file=row.site.file,
            line=row.site.line,
            evidence=f"equal bits in {printable(row.signature, 80)} on each of them, step "
            f"{row.step}",
            fix="Once the model is built, seed each rank with a number of its own: "
            "torch.manual_seed(seed + rank), or samebits.seed_everything(seed, rank=rank).",
        )


def same_order_each_epoch(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """A sampler that shuffles, and deals out the order of one epoch again and again."""
    for rank in ranks[:1]:
        for sampler in rank.noted("samplers"):
            epochs = _trained_on(sampler)
            if not sampler.get("shuffle") or len(epochs) < 2 or len(set(epochs)) == len(epochs):
                continue
            again = len(epochs) - len(set(epochs)) + 1
            file, line = place_of(sampler)
            yield RunFinding(
                code="identical-randomness",
                detail=f"the order of the samples is the same in {again} epochs",
                process=named(ranks),
                file=file,
                line=line,
                evidence="DistributedSampler began an epoch without set_epoch having given it "
                "another number",
                fix="Call sampler.set_epoch(epoch) before each epoch's loop over the batches.",
            )


def _trained_on(sampler: Mapping[str, Any]) -> list[int]:
    """Epochs of a sampler in which steps were made: a look at the first batch is no epoch."""
    epochs = [int(epoch) for epoch in sampler.get("epochs", ())]
    steps = [int(step) for step in sampler.get("steps", ())]
    if len(steps) != len(epochs) or not any(steps):
        return epochs  # no optimizer of torch's has told
    later = [*steps[1:], steps[-1] + 1]  # of the last one it is not known
    return [epoch for epoch, a, b in zip(epochs, steps, later, strict=True) if b > a]


def duplicate_samples(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Samplers that repeat samples to come out even."""
    for sampler in ranks[0].noted("samplers") if ranks else ():
        samples, count = int(sampler.get("samples", 0)), int(sampler.get("ranks", 1))
        if sampler.get("shuffle") or sampler.get("drop_last") or count < 2 or samples % count == 0:
            continue
        file, line = place_of(sampler)
        repeated = count - samples % count
        yield RunFinding(
            code="duplicate-data",
            detail=f"{repeated} of {samples} samples {'is' if repeated == 1 else 'are'} read twice",
            process=named(ranks),
            file=file,
            line=line,
            evidence=f"DistributedSampler repeats samples where {samples} cannot be divided by "
            f"{count} ranks",
            fix="Where what is computed here is a metric, leave the repeated samples out: take the "
            "first len(dataset) results after they were gathered.",
        )


def missing_data(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Samplers that do not shuffle and drop what cannot be divided: the same samples each time."""
    for sampler in ranks[0].noted("samplers") if ranks else ():
        samples, count = int(sampler.get("samples", 0)), int(sampler.get("ranks", 1))
        left = samples % count if count > 1 else 0
        if sampler.get("shuffle") or not sampler.get("drop_last") or not left:
            continue
        file, line = place_of(sampler)
        yield RunFinding(
            code="missing-data",
            detail=f"the last {left} of {samples} samples are read by no rank",
            process=named(ranks),
            file=file,
            line=line,
            evidence=f"DistributedSampler with drop_last=True, {count} ranks, and no shuffling",
            fix="Leave drop_last at False, and take the first len(dataset) results after they were "
            "gathered.",
        )


def duplicate_batches(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Ranks that train on the same batches."""
    if not are_replicas(ranks):
        return
    batches = [rank.steps()["batch"] for rank in ranks]
    length = min(map(len, batches))
    same = np.stack([one[:length] for one in batches])
    equal = (same == same[0]).all(axis=0) & (same[0] != 0)
    if int(equal.sum()) < max(_FEWEST_BATCHES, length // 2):
        yield from _duplicate_epochs(ranks)
        return
    file, line = _line_of_loader(ranks[0])
    yield RunFinding(
        code="duplicate-data",
        detail=f"{named(ranks)} read the same batches in {int(equal.sum())} of {length} steps",
        process=named(ranks),
        file=file,
        line=line,
        evidence="the digests of the batches are equal on every rank",
        fix=_SAMPLER,
    )


def _duplicate_epochs(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """Ranks that train on the same samples, each in an order of its own.

    What every rank goes through without a step in between is an evaluation.
    """
    for epochs in trained_epochs(ranks):
        if not read_alike(epochs):
            continue
        count = int(epochs[0]["samples"][0])
        if count < _FEWEST_SAMPLES:
            continue
        file, line = place_of(epochs[0])
        yield RunFinding(
            code="duplicate-data",
            detail=f"each of {named(ranks)} reads the same {count} samples in an epoch",
            process=named(ranks),
            file=file,
            line=line,
            evidence="what the samples of a pass through the loader add up to is the same on every "
            "rank, and steps were made with them; the batches are not the same",
            fix=_SAMPLER,
        )
        return


def _line_of_loader(rank: Rank) -> tuple[str | None, int | None]:
    """The first line that iterates over a DataLoader, as the ledger tells it."""
    for row in rank.trace.ledger():
        if row.site is not None and (
            row.detail.startswith(_LOADER) or f"by {_LOADER}" in row.detail
        ):
            return row.site.file, row.site.line
    return None, None
