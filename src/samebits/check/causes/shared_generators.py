"""Generators that several draw from, in turns or as often as timing has it."""

from __future__ import annotations

import ast

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import OF_AN_INSTANCE, LedgerPair
from samebits.core.names import printable
from samebits.core.source.statement import called, statement_at

_OF_A_TASK = {
    "torch": "torch.Generator().manual_seed(seed + task)",
    "random": 'random.Random(f"{seed}-{task}")',
    "numpy": "np.random.default_rng([seed, task])",
}
"""A generator of a task's own, by the library that the ledger names."""
_OF_EVERYBODY = ("python", "numpy", "torch-cpu")
"""Generators that whoever asks for a random number draws from."""


_DRAW_UNTIL_IT_FITS = frozenset(
    f"random.{name}" for name in ("choice", "randint", "randrange", "sample", "shuffle")
)
"""How many numbers they draw goes by what the generator holds."""


def drawn_in_turns(evidence: Evidence) -> LedgerPair | None:
    """The generator that threads other than the main one drew from in other turns in each run.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where threads took the same turns in both runs, where the line has made several
        generators, so that each may go with what it belongs to, where what was drawn is seen to
        make pauses alone, or where something was drawn without a seed or seeded otherwise.
    """
    if evidence.unseeded or evidence.other_seeds:
        return None
    for pair in evidence.between:
        if pair.row.source != "shared-generator" or not pair.changed or pair.place is None:
            continue
        made = pair.origin
        if made is not None and made.calls == 1 and not _only_pauses(evidence, made.source):
            return pair
    return None


def drawn_for_pauses(evidence: Evidence) -> LedgerPair | None:
    """The line that draws how long it pauses, more often in one run, from what others draw from.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where nobody draws from the generator afterwards, or where another line has drawn more
        often before.
    """
    draws = [
        pair
        for pair in evidence.of(*_OF_EVERYBODY)
        if pair.row.event == "draw" and not pair.row.detail.startswith(OF_AN_INSTANCE)
    ]
    paused = None
    for number, pair in enumerate(draws):
        if pair.other is not None and pair.row.calls == pair.other.calls:
            if paused is None and draws_pauses(pair) and not pair.in_worker:
                paused = pair
            continue
        if paused is not None and pair.other is not None and _may_be_moved(pair, by=paused):
            return paused  # as often as a whole, and not in between
        if pair.other is None or pair.in_worker or not draws_pauses(pair):
            return None  # what was drawn more often first need not be of timing
        after = (
            one
            for one in draws[number + 1 :]
            if (one.row.source, one.row.process) == (pair.row.source, pair.row.process)
        )
        return pair if any(one.place and not pauses(*one.place) for one in after) else None
    return None


def _may_be_moved(pair: LedgerPair, *, by: LedgerPair) -> bool:
    """Whether a line draws on until a number fits, from the generator that the other one uses."""
    same = (pair.row.source, pair.row.process) == (by.row.source, by.row.process)
    return same and pair.row.detail in _DRAW_UNTIL_IT_FITS


def draws_pauses(pair: LedgerPair) -> bool:
    """Whether a line draws how long it pauses."""
    return pair.row.event == "draw" and pair.place is not None and pauses(*pair.place)


def drew_in_turns(pair: LedgerPair) -> str:
    """What was seen of it."""
    return (
        f"{pair.row.amount} threads drew from the generator of this line, and not in the same "
        "turns in both runs"
    )


def own_generators(pair: LedgerPair) -> str:
    """What to write in its place."""
    made = printable(pair.row.detail, 80)
    library = next((name for name in _OF_A_TASK if made.startswith(name)), "numpy")
    return (
        "Give each task a generator of its own, made of the seed and the number of the task, such "
        f"as {_OF_A_TASK[library]}, and draw from that. What a task draws then does not hang on "
        "what the others do, and they may go on at the same time."
    )


def _only_pauses(evidence: Evidence, source: str) -> bool:
    """Whether all lines that are seen to draw wait for what they have drawn, or print it."""
    places = [
        entry.place
        for entry in evidence.of(source)
        if entry.row.event == "draw" and entry.place is not None
    ]
    return bool(places) and all(pauses(*place) or is_only_printed(*place) for place in places)


def pauses(file: str, line: int) -> bool:
    """Whether a line calls `sleep` with something that it calls for."""
    statement = statement_at(file, line)
    return statement is not None and any(
        called(node) == "sleep" and any(isinstance(part, ast.Call) for part in ast.walk(given))
        for node in statement.expressions()
        if isinstance(node, ast.Call)
        for given in node.args
    )
