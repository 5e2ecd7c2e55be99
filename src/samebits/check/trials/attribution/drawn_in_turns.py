"""A seeded generator that threads draw from in turns: the ledgers of two runs show it."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.culprit import of_entry
from samebits.core.names import printable

_OF_A_TASK = {
    "torch": "torch.Generator().manual_seed(seed + task)",
    "random": 'random.Random(f"{seed}-{task}")',
    "numpy": "np.random.default_rng([seed, task])",
}
"""A generator of a task's own, by the library that the ledger names."""


def generator_drawn_in_turns(evidence: Evidence) -> Cause | None:
    """The generator that threads other than the main one drew from, in another order in each run.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where threads took the same turns in both runs, or where no data and no drawn numbers
        differ, or where something was drawn without a seed or seeded otherwise.
    """
    found = evidence.found
    drawn = found.random and found.is_own_doing
    if not (found.data or drawn or found.detail == PLAIN_ARGUMENTS):
        return None
    if evidence.unseeded or evidence.other_seeds:
        return None
    for pair in evidence.between:
        if pair.row.source == "shared-generator" and pair.changed and pair.place is not None:
            return _of(pair, found.process)
    return None


def _of(pair: LedgerPair, process: str) -> Cause:
    place = of_entry(pair)
    made = printable(pair.row.detail, 80)
    return Cause(
        code="thread-timing",
        detail=made,
        file=place.file,
        line=place.line,
        evidence=f"{pair.row.amount} threads drew from the generator of this line, and not in the "
        "same turns in both runs: who gets which numbers goes by timing.",
        fix="Give each task a generator of its own, made of the seed and the number of the task, "
        f"such as {_own(made)}, and draw from that. What a task draws then does not hang on what "
        "the others do, and they may go on at the same time.",
        confidence="likely",
        process=process,
    )


def _own(made: str) -> str:
    library = next((name for name in _OF_A_TASK if made.startswith(name)), "numpy")
    return _OF_A_TASK[library]
