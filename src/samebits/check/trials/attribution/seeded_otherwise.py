"""A generator that got a different seed in each run, and where that was."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import (
    OF_AN_INSTANCE,
    LedgerPair,
    makes_temporary_name,
)
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.names import printable


def seeded_otherwise(evidence: Evidence) -> Cause | None:
    """The line that seeded it, and the temporary folder whose name the seed may be made of.

    The names of temporary files and folders cannot be pinned: those of earlier runs may be there.

    Args:
        evidence: What the two runs have noted up to where they diverge.
    """
    seeded = next((e for e in evidence.other_seeds if e.differs and e.place is not None), None)
    if seeded is None or seeded.place is None:
        return None
    what = printable(seeded.row.detail, 80) or seeded.row.source
    made = next(filter(makes_temporary_name, evidence.entries), None)
    file, line = seeded.place
    if made is None or made.place is None:
        return Cause(
            code="unseeded-rng",
            detail=seeded.row.source,
            file=file,
            line=line,
            evidence=f"{what} got a different seed in each run.",
            fix="Seed it with a number that is the same in every run.",
            confidence="likely",
        )
    maker = printable(made.row.detail, 80)
    where = shown_place(*made.place)
    return Cause(
        code="entropy",
        detail=maker,
        file=file,
        line=line,
        evidence=f"{what} got a different seed in each run. Before, {maker} made a name at {where} "
        "that is different in each run.",
        fix="Derive the seed from something that is the same in every run: the name of a file, "
        "for example, not the path of a temporary folder.",
        confidence="likely",
    )


def seeded_elsewhere(evidence: Evidence, culprit: Culprit) -> str:
    """The line that made a seed of what the culprit's line has read.

    "" where it is the same one, and where what is read is only printed.

    Args:
        evidence: What the two runs have noted up to where they diverge.
        culprit: The line that read a clock, or drew what no seed controls.
    """
    of_clock = culprit.entry is not None and culprit.entry.row.source == "clock"
    if of_clock and is_only_printed(culprit.file, culprit.line):
        return ""
    for entry in evidence.other_seeds:
        if entry.place is not None and _is_another_number(entry) and not culprit.seeded:
            file, line = entry.place
            same = (file, line) == (culprit.file, culprit.line)
            return "" if same else shown_place(file, line)
    return ""


def seeded_before(evidence: Evidence, culprit: Culprit) -> str:
    """The line whose seed the culprit's line takes back, with one from the system; "" for none.

    Args:
        evidence: What the two runs have noted up to where they diverge.
        culprit: The line that drew, or seeded.
    """
    entry = culprit.entry
    if entry is None or not entry.seeds_from_system:
        return ""
    if entry.row.detail.startswith(OF_AN_INSTANCE):
        return ""
    last: tuple[str, int] | None = None
    for one in evidence.of(entry.row.source):
        if one is entry:
            break
        row = one.row
        shared = row.process == entry.row.process and not row.detail.startswith(OF_AN_INSTANCE)
        if shared and row.event == "seed" and row.seeded == 1:
            last = one.place or last
    return "" if last is None else shown_place(*last)


def seeds_torch(evidence: Evidence) -> bool:
    """Whether the script's own process has given torch's generator the same seed in both runs."""
    seeds = [entry for entry in evidence.of("torch-cpu") if entry.row.event == "seed"]
    return any(e.row.seeded == 1 and e.row.process == 0 and not e.differs for e in seeds)


def _is_another_number(entry: LedgerPair) -> bool:
    """Whether both runs seeded it as often, and not with the same; once more is no other seed.

    What a library's loader draws from torch's generator, when it is walked, follows from how often
    that was asked; a seed that was made of something that was read has an origin.
    """
    other = entry.other
    if entry.row.detail.endswith((".__iter__", ".__next__")) and entry.origin is None:
        return False
    return entry.differs and (other is None or other.calls == entry.row.calls)
