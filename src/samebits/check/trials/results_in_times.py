"""Whether numbers that look like durations are results: the simulated lap that took 92.3 s.

By its looks a number with a unit of time is left out of every comparison. Where a script draws
something without a seed, and such numbers are all that differs, further runs tell: with the clock
pinned what took a time tells the same one in both runs, unless a pause was drawn, or how often the
script asks for the time. What differs then, no longer does once the generators are seeded as well,
and stays when the clock is faster, is made of what was drawn.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.check import causes
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.printed_output import starts_others, timed_lines
from samebits.check.diff.printed_text import count_as_results
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.attribution.source_lines import sources_of
from samebits.check.trials.harmless_text import pinned_alike
from samebits.check.trials.paced_words import RATE
from samebits.check.trials.pinned_pair import PinnedPair
from samebits.check.trials.runner import Runner
from samebits.check.trials.text_pins import TextPins
from samebits.core.source.statement import called, statements_in

_PAUSES = frozenset({"sleep", "wait"})


def results_in_times(runner: Runner, first: RunResult, second: RunResult) -> PinnedPair | None:
    """Two runs with the clock pinned that print other results; from then on these lines count.

    Args:
        runner: Makes further runs, as those of the check were made.
        first: A run.
        second: Another one, which differs from it in no more than what looks like times.

    Returns:
        None where nothing was drawn without a seed, or no such line goes by what was drawn.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    plain = Trace.open(first.folder), Trace.open(second.folder)
    forms = timed_lines(*plain)
    if not forms or not drawn_unseeded(plain[0]) or _pauses(plain[0]):
        return None
    pins = TextPins(runner, plain[0], first.seconds)
    pins.pin_clock()
    pins.pin_names()
    pins.pin_usage()
    if starts_others(plain[0]):
        pins.pin_turns()
    plan = pins.plan()
    runs = runner.pair("clock and names pinned", "timed", (plan, plan))
    moved = _moved(runs)
    if not moved or not moved <= forms:
        return None
    # A clock that cannot be pinned, as one of a library in C++, moves them now as well.
    seeded = runner.pair("seeds pinned as well", "timed-seeded", (_seeded(plan), _seeded(plan)))
    again = _moved(seeded)
    if again is None or again & moved:
        return None
    # How often a script asks for the time may be drawn: a time moves with the clock all the same.
    label = "seeds pinned as well, with a faster clock"
    faster = runner.run(label, "timed-faster", _seeded(pins.plan(rate=RATE)))
    paced = _moved((seeded[0], faster))
    if paced is None or paced & moved:
        return None
    count_as_results(moved)
    return pinned_alike(runs, pins, first)


def _pauses(run: Trace) -> bool:
    """Whether the script waits for a while: how long may be drawn, and reaches durations alone."""
    return any(
        called(node) in _PAUSES
        for file in sources_of(run)
        for statement in statements_in(file)
        for node in statement.expressions()
    )


def _seeded(plan: RunPlan) -> RunPlan:
    return replace(plan, surroundings=plan.surroundings | causes.pin("seeds").surroundings())


def _moved(runs: tuple[RunResult, RunResult]) -> set[str] | None:
    """The forms of such lines that differ between two runs; None where more than that does."""
    traces = Trace.open(runs[0].folder), Trace.open(runs[1].folder)
    if runs[0].end != runs[1].end or first_divergence(*traces) is not None:
        return None
    return timed_lines(*traces)
