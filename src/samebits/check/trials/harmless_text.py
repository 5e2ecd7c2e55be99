"""Whether what runs print and write beside their operations goes by the clock or by their names.

A script may print how long it took without a word that says so, name its run at random, and tell
how much memory it uses and which worker was ready first. Where the text of two runs differs and
every operation agrees, two further runs tell: with the clock pinned, the names that uuid, secrets,
tempfile and os.getpid give, and what the script is told of memory and load. In the second one the
clock is twice as fast, and the names are others: what tells the time does so at that pace, and a
result does not. Where nothing but text differs, threads and processes take turns as well: what
tensors they made, in whatever order, was compared already.

What differs by itself, and neither by the clock nor by the names nor by turns, is a result. Where
there are names, or something was drawn without a seed, runs may agree by luck: more are made then,
each with a clock that goes unevenly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.ledger_pairing import is_of_an_import, pair_ledgers
from samebits.check.diff.ledger_pairs import LedgerPair, moved_seeds
from samebits.check.diff.printed_output import starts_others
from samebits.check.diff.process_traces import recorded_traces
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.attribution.gathering import asks_usage
from samebits.check.trials.attribution.side_effects import lasting_changes
from samebits.check.trials.paced_text import (
    could_show,
    differ_by_names,
    files_are_shown,
    goes_by_the_pace,
    goes_evenly,
    holds_what_stayed,
    lines_are_shown,
    may_be_too_short,
)
from samebits.check.trials.paced_words import EVEN_RATES, RATE
from samebits.check.trials.pinned_pair import Agree, PinnedOutcome, PinnedPair, all_agrees
from samebits.check.trials.run_names import DrawnName, drawn_name
from samebits.check.trials.runner import Runner
from samebits.check.trials.text_pins import TextPins
from samebits.check.trials.turns_in_text import differ_by_turns

_NAMES = ("uuid", "pid", "secrets")
_OF_NAMES = frozenset({*_NAMES, "process", "urandom"})
"""Sources of names that a run has for itself, and of numbers of processes."""
_MORE = 8
"""Further runs that are made where runs may agree by luck."""


def with_clock_and_names_pinned(
    runner: Runner,
    first: RunResult,
    second: RunResult,
    differs: Divergence,
    *,
    alike: bool = False,
    agree: Agree = all_agrees,
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
        agree: Whether what two runs with other clocks have recorded is the same.

    Returns:
        None where nothing is left to pin: no runs are made then.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    plain = Trace.open(first.folder), Trace.open(second.folder)
    name = drawn_name(*plain)
    takes_turns = differs.op in ("print", "write") and starts_others(plain[0])
    pins = _pins(TextPins(runner, plain[0], first.seconds), plain, differs, name)
    if takes_turns:
        pins.pin_turns()
    if not pins.words:
        return None
    if alike:
        runs = runner.pair("clock and names pinned", "pinned", (pins.plan(), pins.plan()))
        return pinned_alike(runs, pins, first)
    label, faster = "clock and names pinned", pins.plan(rate=RATE, names=1)
    made, again = 2, None
    if name is None and drawn_unseeded(plain[0]):
        # What goes by such a draw differs in any two runs: those made alike tell it at once.
        slow, again = runner.pair(label, "printed", (pins.plan(), pins.plan()))
        pair = pinned_alike((slow, again), pins, first)
        if pair.outcome is PinnedOutcome.DIFFERS and could_show(Trace.open(slow.folder), plain):
            return pair
        fast, made = runner.run(f"{label}, run 3", "printed-fast", faster), 3
    else:
        slow, fast = runner.pair(label, "printed", (pins.plan(), faster))
    traces = Trace.open(slow.folder), Trace.open(fast.folder)
    shows = could_show(traces[0], plain)
    pair = PinnedPair(runs=(slow, fast), plan=pins.plan(), pinned=str(pins), made=made, agree=agree)
    if shows and slow.end == fast.end == first.end and agree(*traces):
        known = _by_clock_and_names(runner, pair, pins)
        if known is not None:
            return _weighed(runner, known, pins, plain, takes_turns=takes_turns, name=name)
    if again is None:
        again = runner.run("clock and names pinned once more", "printed-again", pins.plan())
    pair = pinned_alike((slow, again), pins, first)
    if not shows:
        return replace(pair, outcome=PinnedOutcome.SILENT)
    agrees = pair.outcome is PinnedOutcome.AGREES
    return replace(pair, outcome=PinnedOutcome.RESULT) if agrees else pair


def _pins(
    pins: TextPins, plain: tuple[Trace, Trace], differs: Divergence, name: DrawnName | None
) -> TextPins:
    """With all that may be pinned: nothing that a seed is made of which differs in plain runs."""
    seeds = _differing_seeds(*plain, differs)
    seeding = {entry.origin.source for entry in seeds if entry.origin is not None}
    unknown = any(entry.origin is None for entry in seeds)
    if unknown:
        seeding |= {"clock", *_NAMES}
    if "clock" not in seeding:
        pins.pin_clock()
    if seeding.isdisjoint(_NAMES):
        pins.pin_names()
    if not unknown:
        pins.pin_usage()
    if name is not None:
        pins.pin_drawing(name)
    return pins


@dataclass(frozen=True)
class _Moved:
    """Which parts of what differs between plain runs the pace or the names have moved as well.

    Attributes:
        lines: Printed lines.
        numbers: Files of numbers.
        text: Files of text.
    """

    lines: bool = False
    numbers: bool = False
    text: bool = False

    @classmethod
    def between(cls, slow: Trace, fast: Trace, plain: tuple[Trace, Trace]) -> _Moved:
        """What two runs with something pinned show of it."""
        return cls(
            lines_are_shown(slow, fast, plain),
            files_are_shown(slow, fast, plain, kinds=("values", "arrays")),
            files_are_shown(slow, fast, plain, kinds=("text",)),
        )

    def __or__(self, other: _Moved) -> _Moved:
        return _Moved(
            self.lines or other.lines, self.numbers or other.numbers, self.text or other.text
        )

    def all_of_it(self, *, but_for_text: bool = False) -> bool:
        """Whether nothing is left; files of text need not be moved where they go by turns."""
        return self.lines and self.numbers and (self.text or but_for_text)


def _weighed(
    runner: Runner,
    known: PinnedPair,
    pins: TextPins,
    plain: tuple[Trace, Trace],
    *,
    takes_turns: bool,
    name: DrawnName | None,
) -> PinnedPair:
    """What two runs are worth that differ from each other in times and in names alone.

    Args:
        runner: Makes further runs.
        known: The two.
        pins: What is pinned in them.
        plain: Two runs with nothing pinned.
        takes_turns: Whether threads and processes take turns.
        name: A name that is drawn from a generator without a seed.
    """
    slow, fast = (Trace.open(run.folder) for run in known.runs)
    moved = _Moved.between(slow, fast, plain)
    if takes_turns and not moved.lines:
        moved |= _Moved(lines=differ_by_turns(plain, (slow, fast)))
    too_short = not moved.all_of_it(but_for_text=takes_turns) and may_be_too_short(
        slow, fast, plain
    )
    if pins.holds_clock and too_short:
        known, farther = _farther(runner, known, pins)
        if farther is not None:
            moved |= _Moved.between(slow, farther, plain)
    unseeded = name is None and bool(drawn_unseeded(plain[0]))
    # What is drawn without a seed differs by itself as well, and so does what a first run says that
    # makes files for the others.
    first_alone = bool(lasting_changes(plain[0]) - lasting_changes(plain[1]))
    by_luck = not takes_turns and (name is not None or unseeded or first_alone)
    if not by_luck and not moved.all_of_it(but_for_text=takes_turns):
        # What differs by itself, and not by the clock nor the names, is more than these.
        return replace(known, outcome=PinnedOutcome.RESULT)
    if moved.all_of_it() and not unseeded and not known.named:
        return known
    stays = _stays(runner, known, pins)
    may_be_shown = takes_turns or name is not None or first_alone or asks_usage(plain[0])
    # What was drawn without a seed would have differed in so many runs: what came out the same in
    # all of them goes by what was pinned, and does not as a time does.
    agrees = stays.outcome is PinnedOutcome.AGREES
    goes_by_pins = agrees and not moved.all_of_it(but_for_text=takes_turns) and not may_be_shown
    return replace(stays, outcome=PinnedOutcome.RESULT) if goes_by_pins else stays


def at_another_pace(runner: Runner, pair: PinnedPair) -> RunResult:
    """A run beside a pair that was made alike: its clock is faster, and its names are others.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    assert pair.pins is not None
    plan = pair.pins.plan(rate=RATE, names=1)
    return runner.run("clock and names pinned, run 3", "pinned-faster", plan)


def _by_clock_and_names(runner: Runner, pair: PinnedPair, pins: TextPins) -> PinnedPair | None:
    """The two runs, if they differ in times and in names alone; further ones tell these apart.

    The clock alone moves times, and the names alone move what looks like a name.
    """
    slow, fast = (Trace.open(run.folder) for run in pair.runs)
    if goes_by_the_pace(slow, fast, sure=True):
        return pair
    if _has_names(fast):
        made = pair.made + 1
        third = runner.run(f"clock pinned, run {made}", "printed-3", pins.plan(rate=RATE))
        by_clock = Trace.open(third.folder)
        agree = third.end == pair.runs[0].end and pair.agree(by_clock, fast)
        if not agree or not differ_by_names(by_clock, fast):
            return None
        pair = replace(pair, made=made, named=divergence_beside(by_clock, fast) is not None)
        if goes_by_the_pace(slow, by_clock, sure=True):
            return pair
    pair = _with_faster(runner, pair, pins)
    evenly = goes_evenly(slow, *(Trace.open(run.folder) for run in pair.faster))
    return pair if evenly else None


def _has_names(run: Trace) -> bool:
    """Whether a run has names of its own, for all that its ledgers hold."""
    rows = (row for trace in recorded_traces(run) for row in trace.ledger())
    return any(row.source in _OF_NAMES and not is_of_an_import(row) for row in rows)


def _with_faster(runner: Runner, pair: PinnedPair, pins: TextPins) -> PinnedPair:
    """The pair with two runs whose clocks are faster still; each is made once."""
    if pair.faster:
        return pair
    faster = tuple(
        runner.run(f"clock pinned, run {number}", f"printed-{number}", pins.plan(rate=rate))
        for number, rate in enumerate(EVEN_RATES, start=pair.made + 1)
    )
    return replace(pair, faster=faster, made=pair.made + len(faster))


def _farther(runner: Runner, pair: PinnedPair, pins: TextPins) -> tuple[PinnedPair, Trace | None]:
    """A run with a clock so fast that it shows seconds which were none, if all of it goes evenly.

    How many took longer than a limit may be none by the pinned clock, too; but with clocks that are
    faster still, no more take longer.
    """
    pair = _with_faster(runner, pair, pins)
    slow, *traces = (Trace.open(run.folder) for run in (pair.runs[0], *pair.faster))
    if any(run.end != pair.runs[0].end for run in pair.faster):
        return pair, None
    if not all(pair.agree(slow, trace) for trace in traces):
        return pair, None
    return pair, traces[1] if goes_evenly(slow, *traces) else None


def _stays(runner: Runner, pair: PinnedPair, pins: TextPins) -> PinnedPair:
    """Whether what neither the pace nor the names have moved stays in further runs.

    Their clocks go unevenly, each in its own way: a choice of what took least time is another one
    then. And each has other names.
    """
    slow, fast = (Trace.open(run.folder) for run in pair.runs)
    for number in range(1, _MORE + 1):
        plan = pins.plan(uneven=number, names=number + 1)
        label = f"clock and names pinned, run {pair.made + 1}"
        again = runner.run(label, f"printed-uneven-{number}", plan)
        pair = replace(pair, made=pair.made + 1)
        if again.end != pair.runs[0].end:
            return replace(pair, outcome=PinnedOutcome.ENDED)
        trace = Trace.open(again.folder)
        if not pair.agree(slow, trace) or not holds_what_stayed(slow, fast, trace):
            return replace(pair, outcome=PinnedOutcome.RESULT)
    return pair


def pinned_alike(
    runs: tuple[RunResult, RunResult], pins: TextPins, as_it_is: RunResult
) -> PinnedPair:
    """What came of two runs that were made in the same way.

    Args:
        runs: The runs.
        pins: What was pinned in both.
        as_it_is: A run with nothing pinned.

    Raises:
        TraceError: A run folder could not be read.
    """
    a, b = (Trace.open(run.folder) for run in runs)
    coarse = first_divergence(a, b)
    divergence = coarse or divergence_beside(a, b)
    if any(run.end != as_it_is.end for run in runs):
        outcome = PinnedOutcome.ENDED
    else:
        outcome = PinnedOutcome.AGREES if divergence is None else PinnedOutcome.DIFFERS
    return PinnedPair(
        runs=runs,
        plan=pins.plan(),
        pinned=str(pins),
        pins=pins,
        coarse=coarse,
        divergence=divergence,
        outcome=outcome,
        alike=True,
    )


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
