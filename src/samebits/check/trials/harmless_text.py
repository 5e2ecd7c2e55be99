"""Whether what runs print and write beside their operations goes by the clock or by their names.

A script may print how long it took without a word that says so, name its run at random, and tell
how much memory it uses and which worker was ready first. Where the text of two runs differs and
every operation agrees, two further runs tell: with the clock pinned, the names that uuid, secrets,
tempfile and os.getpid give, and what the script is told of memory and load. In the second one the
clock is twice as fast, and the names are others: what tells the time does so at that pace, and a
result does not. Where nothing but text differs, threads and processes take turns as well: what
tensors they made, in whatever order, was compared already.

Two runs agree by luck where few things are possible. Where something that differed without a pin is
the same at either pace, or something was drawn without a seed, more runs are made.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, replace

from samebits.check import causes
from samebits.check.causes.clock import clock_pace
from samebits.check.diff.artifacts import divergence_beside, starts_others
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.ledger_pairs import LedgerPair, moved_seeds
from samebits.check.diff.verdict import Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.paced_text import RATE, could_show, goes_by_the_pace, is_shown
from samebits.check.trials.run_names import drawn_name
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings

_NAMES = ("uuid", "pid", "secrets")
_MORE = 8
"""Further runs that are made then: with the one before, heads nine times in a row."""


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
        made: How many such runs there are in all.
        result: Whether what differed goes by the clock or by a name, and is no time and no name:
            then the runs without anything pinned are the ones to explain.
    """

    runs: tuple[RunResult, RunResult]
    plan: RunPlan
    pinned: str
    coarse: Divergence | None
    divergence: Divergence | None
    usable: bool
    made: int = 2
    result: bool = False

    @property
    def agrees(self) -> str:
        """What to say where all of it agrees."""
        runs = "two" if self.made == 2 else str(self.made)
        return f"with {self.pinned} pinned, {runs} further runs printed and wrote the same"


def with_clock_and_names_pinned(
    runner: Runner,
    first: RunResult,
    second: RunResult,
    differs: Divergence,
    *,
    alike: bool = False,
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
        alike: Whether both runs are made in the same way, where bytes alone can be compared.

    Returns:
        None where nothing is left to pin: no runs are made then.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    trace = Trace.open(first.folder)
    seeds = _differing_seeds(trace, Trace.open(second.folder), differs)
    seeding = {entry.origin.source for entry in seeds if entry.origin is not None}
    unknown = any(entry.origin is None for entry in seeds)
    if unknown:
        seeding |= {"clock", *_NAMES}
    surroundings, faster, words = Surroundings(), Surroundings(), []
    if "clock" not in seeding:
        pace = clock_pace(trace)
        surroundings |= causes.pin("clock").surroundings(settings=pace)
        faster |= causes.pin("clock").surroundings(settings={**pace, "rate": RATE})
        words.append("the clock")
    if seeding.isdisjoint(_NAMES):
        # Names of temporary files must be free in both runs: other checks have a stream of theirs.
        stream = zlib.crc32(os.fsencode(runner.recordings.out.absolute()))
        surroundings |= _names_by(stream)
        faster |= _names_by(stream + 1)
        words.append("names from uuid, secrets, tempfile and os.getpid")
    if not unknown:
        surroundings |= Surroundings(hooks=(HookSpec(name="usage"),))
        faster |= Surroundings(hooks=(HookSpec(name="usage", settings={"rate": RATE}),))
        words.append("readings of memory and load")
    name = drawn_name(trace, Trace.open(second.folder))
    if name is not None:
        drawing = HookSpec(name="seeds", settings={"sources": list(name.sources)})
        surroundings |= Surroundings(hooks=(drawing,))
        words.append(str(name))
    if differs.op in ("print", "write") and starts_others(trace):
        # Which worker draws the numbers of a task is no order: they would be the result.
        surroundings |= causes.pin("thread-timing").surroundings(settings={"shares": False})
        words.append("the order of threads and processes")
    if not words:
        return None
    # The second run must not find the folder that the first one has made under the same name.
    surroundings |= causes.pin("files").surroundings()
    plan = replace(runner.plan, keep_text=True)
    pinned = replace(plan, surroundings=plan.surroundings | surroundings)
    if alike:
        runs = runner.pair("clock and names pinned", "pinned", (pinned, pinned))
        return _pair(runs, pinned, _joined(words), first)
    at_a_pace = replace(plan, surroundings=plan.surroundings | surroundings | faster)
    slow, fast = runner.pair("clock and names pinned", "printed", (pinned, at_a_pace))
    traces = Trace.open(slow.folder), Trace.open(fast.folder)
    plain = trace, Trace.open(second.folder)
    ends = slow.end == fast.end == first.end and could_show(traces[0], plain)
    agree = ends and first_divergence(*traces) is None
    if agree and goes_by_the_pace(*traces, names=True):
        pair = PinnedPair((slow, fast), pinned, _joined(words), None, None, True)
        sure = goes_by_the_pace(*traces) and is_shown(*traces, plain)
        sure = sure and (name is not None or not drawn_unseeded(trace))
        return pair if sure else _each_time(runner, slow, pinned, words, first, _MORE)
    pair = _each_time(runner, slow, pinned, words, first, 1)
    if not could_show(traces[0], plain):
        return replace(pair, usable=False)
    return replace(pair, result=pair.usable and pair.divergence is None)


def _names_by(stream: int) -> Surroundings:
    return Surroundings(hooks=(HookSpec(name="entropy", settings={"names": True, "seed": stream}),))


def _each_time(
    runner: Runner, one: RunResult, plan: RunPlan, words: list[str], first: RunResult, runs: int
) -> PinnedPair:
    """A run beside so many that are made in the same way, until one of these differs."""
    for number in range(3, 3 + runs):
        again = runner.run(f"clock and names pinned, run {number}", f"printed-{number}", plan)
        pair = _pair((one, again), plan, _joined(words), first)
        if pair.divergence is not None or not pair.usable:
            break
    return replace(pair, made=number)


def _pair(
    runs: tuple[RunResult, RunResult], plan: RunPlan, pinned: str, as_it_is: RunResult
) -> PinnedPair:
    a, b = (Trace.open(run.folder) for run in runs)
    coarse = first_divergence(a, b)
    return PinnedPair(
        runs=runs,
        plan=plan,
        pinned=pinned,
        coarse=coarse,
        divergence=coarse or divergence_beside(a, b),
        usable=all(run.end == as_it_is.end for run in runs),
    )


def _joined(words: list[str]) -> str:
    *most, last = words or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def _differing_seeds(a: Trace, b: Trace, found: Divergence) -> list[LedgerPair]:
    """What seeded a generator with another number in each run; what did with the same is no name.

    A number below a thousand is found among the digits of a time or of a name by chance. Seeds that
    went to other processes of a pool are the same ones.
    """
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    moved = {id(entry) for entry in moved_seeds(entries)}
    return [
        entry
        for entry in entries
        if entry.changed
        and id(entry) not in moved
        and (entry.row.event == "seed" or (entry.row.event, entry.row.seeded) == ("construct", 1))
        and (entry.origin is not None or not entry.internal)
    ]
