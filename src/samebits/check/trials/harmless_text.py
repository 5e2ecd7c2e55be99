"""Whether what runs print and write beside their operations goes by the clock or by their names.

A script may print how long it took without a word that says so, name its run at random, and tell
how much memory it uses and which worker was ready first. Where the text of two runs differs and
every operation agrees, two further runs tell: with the clock pinned, the names that uuid, secrets,
tempfile and os.getpid give, and what the script is told of memory and load, such text is the same.
A result is not. Where nothing but text differs, threads and processes take turns as well: what
tensors they made, in whatever order, was compared already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from samebits.check import causes
from samebits.check.causes.clock import clock_pace
from samebits.check.diff.artifacts import divergence_beside, starts_others
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.verdict import Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings

_NAMES = ("uuid", "pid", "secrets")


@dataclass(frozen=True)
class PinnedPair:
    """Two runs with the clock and the names of runs pinned.

    Attributes:
        runs: The runs.
        plan: How they were made.
        pinned: What was pinned, in words.
        coarse: Where their operations diverge; None where they agree.
        divergence: That, or what they print or write; None where all of it agrees.
        usable: Whether they ended as the script does by itself.
    """

    runs: tuple[RunResult, RunResult]
    plan: RunPlan
    pinned: str
    coarse: Divergence | None
    divergence: Divergence | None
    usable: bool


def with_clock_and_names_pinned(
    runner: Runner, first: RunResult, second: RunResult, differs: Divergence
) -> PinnedPair | None:
    """Run the script twice more.

    What a generator was seeded with is left as it is: such a number is more than a name. A seed may
    be made of the time or of a name in ways that leave no trace (of a hash, of text): where one
    differs, and nothing is known of where it came from, neither is pinned.

    Args:
        runner: Makes the runs, as those of the check were made.
        first: One of them.
        second: Another one.
        differs: What differs between them beside the operations.

    Returns:
        None where nothing is left to pin: no runs are made then.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    trace = Trace.open(first.folder)
    seeding = set(_sources_of_seeds(trace))
    unknown = _has_a_seed_of_unknown_origin(trace, Trace.open(second.folder), differs)
    if unknown:
        seeding |= {"clock", *_NAMES}
    surroundings, words = Surroundings(), []
    if "clock" not in seeding:
        surroundings |= causes.pin("clock").surroundings(settings=clock_pace(trace))
        words.append("the clock")
    if seeding.isdisjoint(_NAMES):
        names = HookSpec(name="entropy", settings={"names": True})
        surroundings |= Surroundings(hooks=(names,))
        words.append("names from uuid, secrets, tempfile and os.getpid")
    if not unknown:
        surroundings |= Surroundings(hooks=(HookSpec(name="usage"),))
        words.append("readings of memory and load")
    if differs.op in ("print", "write") and starts_others(trace):
        surroundings |= causes.pin("thread-timing").surroundings()
        words.append("the order of threads and processes")
    if not words:
        return None
    # The second run must not find the folder that the first one has made under the same name.
    surroundings |= causes.pin("files").surroundings()
    pinned = replace(runner.plan, surroundings=runner.plan.surroundings | surroundings)
    runs = runner.pair("clock and names pinned", "printed", (pinned, pinned))
    a, b = (Trace.open(run.folder) for run in runs)
    coarse = first_divergence(a, b)
    return PinnedPair(
        runs=runs,
        plan=pinned,
        pinned=_joined(words),
        coarse=coarse,
        divergence=coarse or divergence_beside(a, b),
        usable=all(run.end == first.end for run in runs),
    )


def _joined(words: list[str]) -> str:
    *most, last = words or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def _has_a_seed_of_unknown_origin(a: Trace, b: Trace, found: Divergence) -> bool:
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    return any(
        entry.differs and entry.origin is None and not entry.internal
        for entry in entries
        if entry.row.event == "seed" or (entry.row.event == "construct" and entry.row.seeded == 1)
    )


def _sources_of_seeds(trace: Trace) -> Iterator[str]:
    rows = list(trace.ledger())
    for row in rows:
        if row.event == "seed" and 0 <= row.origin < len(rows):
            yield rows[row.origin].source
