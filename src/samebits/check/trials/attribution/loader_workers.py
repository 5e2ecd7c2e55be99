"""The workers of a loader: which of them took what, and in which order batches came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.pace import SHARED_VALUE
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.ledger_pairs import GENERATORS, LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.shared_values import read_while_others_write
from samebits.core.counted import how_often
from samebits.core.names import printable
from samebits.core.source.loaders import lines_out_of_order

_BATCH = ("step", "batch")
"""The kind of a divergence in what a loader gave, and what differs."""

_BY_WORKER_NUMBER = (
    "The loader's workers take their work from something that they share: a counter, a queue, an "
    "iterator, a folder. Which of them takes what goes by timing, and so does what a batch holds. "
    "Give each worker its share by its number. In __iter__ of the dataset: info = "
    "torch.utils.data.get_worker_info(), and then items[info.id::info.num_workers]."
)

_IN_ORDER = (
    "Leave in_order at its default, True: the batches then come in the order of the sampler, "
    "whichever worker finishes first. The workers still load in parallel."
)


def batches_out_of_order(evidence: Evidence) -> Cause | None:
    """The loader that gives batches as its workers finish them.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where no data of the script's own process differ, where something was drawn without a
        seed, where no worker was started, or where no line, or several, make such a loader.
    """
    starts = [pair for pair in evidence.of("worker") if pair.place is not None]
    if not starts or not is_what_a_loader_gave(evidence) or evidence.found.process:
        return None
    files = dict.fromkeys(pair.place[0] for pair in evidence.entries if pair.place is not None)
    lines = [(file, line) for file in files for line in lines_out_of_order(file)]
    if len(lines) != 1:
        return None
    file, line = lines[0]
    return Cause(
        code="process-timing",
        detail="",
        file=file,
        line=line,
        evidence="A loader with in_order=False gives each batch as soon as one of its workers has "
        "it, so that timing decides the order of the batches; and data differ.",
        fix=_IN_ORDER,
        confidence="likely",
    )


def moved_between_workers(evidence: Evidence) -> Cause | None:
    """What the workers of a loader did, where other ones of them did it in the second run.

    No pin reaches them: they race for what they share while each fills batches of its own.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where no data differ, where workers did not do the same together, or where something
        was drawn without a seed.
    """
    if not is_what_a_loader_gave(evidence):
        return None
    moved: LedgerPair | None = None
    for pairs in _of_workers(evidence).values():
        calls = [_calls(pair) for pair in pairs]
        if sum(a for a, _ in calls) != sum(b for _, b in calls):
            return None
        if sum(pair.surplus for pair in pairs) % 2**64:
            return None  # together they saw something else
        if moved is None:
            moved = next((p for p, (a, b) in zip(pairs, calls, strict=True) if a != b), None)
    if moved is None:
        return None
    starts = [pair for pair in evidence.of("worker") if pair.place is not None]
    place = of_entry(starts[0] if starts else moved)
    in_a, in_b = _calls(moved)
    seen = (
        "The loader's workers did the same work in both runs, but divided it differently: "
        f"{_at(moved)}worker {moved.row.worker} came {how_often(in_a)} in run A and "
        f"{how_often(in_b)} in run B."
    )
    out_of_order = batches_out_of_order(evidence)
    if out_of_order is not None:
        return replace(out_of_order, evidence=f"{seen} {out_of_order.evidence}")
    return Cause(
        code="process-timing",
        detail="",
        file=place.file,
        line=place.line,
        evidence=seen,
        fix=_BY_WORKER_NUMBER,
        confidence="likely",
    )


def number_read_by_workers(evidence: Evidence) -> Cause | None:
    """What the workers of a loader read of a number that other processes change meanwhile.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where no data differ, where workers read no such number, or got the same each time, or
        where something was drawn without a seed.
    """
    if not is_what_a_loader_gave(evidence):
        return None
    place = read_while_others_write(evidence)
    entry = None if place is None else place.entry
    if place is None or entry is None or not entry.in_worker:
        return None
    return Cause(
        code="process-timing",
        detail="",
        file=place.file,
        line=place.line,
        evidence=f"Worker {entry.row.worker} of the loader read a number here that other processes "
        "change meanwhile, and got something else in run B than in run A.",
        fix=SHARED_VALUE,
        confidence="likely",
    )


def is_what_a_loader_gave(evidence: Evidence) -> bool:
    """Whether data differ, and nothing that was drawn without a seed may be the reason."""
    found = evidence.found
    arrived = found.data or found.detail == PLAIN_ARGUMENTS or (found.kind, found.op) == _BATCH
    return arrived and not evidence.unseeded and not evidence.other_seeds


def _of_workers(evidence: Evidence) -> dict[tuple[object, ...], Sequence[LedgerPair]]:
    """What workers of loaders drew and read, by what it was; workers apart."""
    groups: dict[tuple[object, ...], list[LedgerPair]] = defaultdict(list)
    for pair in evidence.of(*GENERATORS, "file"):
        if pair.in_worker and not pair.internal:
            row = pair.row
            groups[row.source, row.event, row.detail, pair.place].append(pair)
    return dict(groups)


def _calls(pair: LedgerPair) -> tuple[int, int]:
    """How often run A and run B came there."""
    if pair.other is None:
        return (0, pair.row.calls) if pair.only_second else (pair.row.calls, 0)
    return pair.row.calls, pair.other.calls


def _at(pair: LedgerPair) -> str:
    if pair.place is None:
        return ""
    file, line = pair.place
    return f"at {printable(base_name(file), 80)}:{line} "
