"""A thread that draws from Python's or NumPy's shared generator beside others: by the source."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import OF_AN_INSTANCE, LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause, Divergence
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.source.threads import runs_on_a_thread

_OWN = {"python": "random.Random(0)", "numpy": "np.random.default_rng(0)"}
_NAMES = {"python": "Python's", "numpy": "NumPy's"}


def generator_of_a_thread_and_others(evidence: Evidence) -> Cause | None:
    """The line of a thread that draws from a shared generator, which another line draws from.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where no data differ, where the lines drew as much in both runs, or where something
        was drawn without a seed or seeded otherwise.
    """
    found = evidence.found
    if not (found.data or found.detail == PLAIN_ARGUMENTS) or not _is_of_the_script(found):
        return None
    if evidence.unseeded or evidence.other_seeds:
        return None
    if all(entry.internal for entry in evidence.of("thread")):
        return None
    for source, own in _OWN.items():
        drawn = [entry for entry in evidence.of(source) if _is_of_all(entry)]
        on_threads = [e for e in drawn if e.place is not None and runs_on_a_thread(*e.place)]
        others = [entry for entry in drawn if entry not in on_threads]
        if not on_threads or not others or not any(map(_is_unequal, drawn)):
            continue
        place, other = of_entry(on_threads[0]), others[0].place
        assert other is not None
        return Cause(
            code="thread-timing",
            detail=source,
            file=place.file,
            line=place.line,
            evidence=f"A thread draws here from {_NAMES[source]} shared generator, from which "
            f"{shown_place(*other)} draws as well. Where the runs diverge, not as much had been "
            "drawn at these lines in both. Who gets which numbers goes by timing.",
            fix=f"Give the thread a generator of its own, made before it starts, such as own = "
            f"{own}, and draw from that here. The other lines then draw as if it were not there.",
            confidence="likely",
        )
    return None


def _is_of_the_script(found: Divergence) -> bool:
    """Whether the script's own process has done it, on its first thread or on another."""
    owners = set(map(owner_of, found.processes))
    return owners == {MAIN_PROCESS} if found.process else not owners


def _is_of_all(entry: LedgerPair) -> bool:
    """Whether the script's own process draws there from a generator that everybody shares."""
    row = entry.row
    shared = row.event == "draw" and not row.detail.startswith(OF_AN_INSTANCE)
    here = not row.process and not entry.in_worker and not entry.internal
    return shared and here and entry.place is not None


def _is_unequal(entry: LedgerPair) -> bool:
    return entry.other is None or entry.row.amount != entry.other.amount
