"""What is pinned to see whether text goes by the clock and by the names of runs."""

from __future__ import annotations

from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.clock import seconds_a_question
from samebits.check.causes.pace import longest_turn
from samebits.check.hooks.clock import BEGINS_AT
from samebits.check.record.plan import RunPlan
from samebits.check.trace.reader import Trace
from samebits.check.trials.limits import longest_run
from samebits.check.trials.paced_moments import APART_S
from samebits.check.trials.run_names import DrawnName
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings

_LONGEST_S = 0.9137
"""Seconds by which a clock may go on at each question; no round number, for it may be printed."""


class TextPins:
    """What is pinned in the runs that are made, and to which values.

    Args:
        runner: Makes the runs.
        trace: One of those that diverge.
        seconds: How long that run took.

    Attributes:
        words: What it is, in words.
    """

    def __init__(self, runner: Runner, trace: Trace, seconds: float) -> None:
        self.words: list[str] = []
        limit = longest_run(seconds, runner.plan.timeout)
        self._plan = replace(runner.plan, keep_text=True, timeout=limit)
        # A duration must have digits enough to see that another one is twice as long.
        self._pace = {"advance": float(f"{seconds_a_question(trace, _LONGEST_S):.4g}")}
        self._turns = longest_turn(trace)
        self._stream = runner.recordings.series_of_names
        self._clock = self._names = self._usage = False
        # The second run must not find the folder that the first one has made under the same name.
        self._others = causes.pin("files").surroundings()

    def __str__(self) -> str:
        *most, last = self.words
        return f"{', '.join(most)} and {last}" if most else last

    @property
    def holds_clock(self) -> bool:
        """Whether clocks are pinned."""
        return self._clock

    def pin_clock(self) -> None:
        """Clocks begin at one time, and go on at each question."""
        self._clock = True
        self.words.append("the clock")

    def pin_names(self) -> None:
        """Names that libraries draw come from a stream of numbers."""
        self._names = True
        self.words.append("names from uuid, secrets, tempfile and os.getpid")

    def pin_usage(self) -> None:
        """What the script is told of memory and load is made up."""
        self._usage = True
        self.words.append("readings of memory and load")

    def pin_drawing(self, name: DrawnName) -> None:
        """What a name is drawn with is seeded."""
        hook = HookSpec(name="seeds", settings={"sources": list(name.sources)})
        self._others |= Surroundings(hooks=(hook,))
        self.words.append(str(name))

    def pin_turns(self) -> None:
        """Threads and processes do one thing after another."""
        # Which worker draws the numbers of a task is no order: they would be the result.
        settings = {**self._turns, "shares": False}
        self._others |= causes.pin("thread-timing").surroundings(settings=settings)
        self.words.append("the order of threads and processes")

    def plan(self, *, rate: float = 1.0, uneven: int = 0, names: int = 0) -> RunPlan:
        """How to make a run.

        Args:
            rate: How fast its clock goes, and how much it is told of memory and load.
            uneven: Which of the clocks that go unevenly it has; 0 for one that goes evenly.
            names: Which stream of names.
        """
        surroundings = self._plan.surroundings | self._others
        if self._clock:
            start = BEGINS_AT + APART_S * (rate - 1)
            settings = {**self._pace, "rate": rate, "uneven": uneven, "start": start}
            surroundings |= causes.pin("clock").surroundings(settings=settings)
        hooks = []
        if self._names:
            settings = {"names": True, "seed": self._stream + names}
            hooks.append(HookSpec(name="entropy", settings=settings))
        if self._usage:
            hooks.append(HookSpec(name="usage", settings={"rate": rate}))
        return replace(self._plan, surroundings=surroundings | Surroundings(hooks=tuple(hooks)))
