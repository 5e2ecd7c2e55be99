"""Two runs that diverge: what an attribution starts from, and what each proved cause leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.process_traces import traces_of
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.scope import (
    WHOLE,
    RunScope,
    is_near_the_end,
    seconds_until,
    up_to,
)
from samebits.check.trials.attribution.trial import Trial
from samebits.check.trials.closer import CloserPair

_MOST = 0.9
"""A run that ends where runs diverge takes no more of a whole one than this, to be worth it."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Two runs that diverge, and what is pinned in them already.

    Attributes:
        found: Where they diverge, as the runs themselves recorded it.
        traces: The two runs.
        scope: How far a run has to go to get there.
        closer: The operation that parts, where a closer look has found one; else `found`.
        closer_traces: The two runs that the rows of `closer` are rows of.
        closer_scope: How far a run has to go to get to `closer`.
        pinned: Pins that were needed so far.
        comes_and_goes: Whether pairs of runs agree now and then although nothing is pinned.
        diverged: Numbers of the observations in which runs in these circumstances diverged.
    """

    found: Divergence
    traces: tuple[Trace, Trace]
    scope: RunScope
    closer: Divergence
    closer_traces: tuple[Trace, Trace]
    closer_scope: RunScope
    pinned: frozenset[str] = frozenset()
    comes_and_goes: bool = False
    diverged: tuple[int, ...] = ()

    @property
    def own_traces(self) -> tuple[Trace, Trace]:
        """What the process that diverges has recorded in the two runs."""
        return traces_of(self.found, *self.traces)

    @property
    def closer_own_traces(self) -> tuple[Trace, Trace]:
        """What it has recorded where the rows of `closer` stand."""
        return traces_of(self.closer, *self.closer_traces)


def first_situation(
    coarse: Divergence | None,
    closer: Divergence,
    traces: tuple[Trace, Trace],
    closer_pair: CloserPair | None,
) -> Situation:
    """The situation that a check has found.

    Args:
        coarse: Where the runs of the check part; None where only a closer look has shown it.
        closer: The operation behind it, or the same.
        traces: The runs of the check.
        closer_pair: The runs that `closer` was found in: others, after a closer look.
    """
    closer_traces, closer_scope = traces, up_to(closer, traces[0])
    if closer_pair is not None:
        first, second = (Trace.open(run.folder) for run in closer_pair.runs)
        closer_traces = (first, second)
        closer_scope = up_to(closer, first, from_step=closer_pair.from_step)
    if coarse is None and closer_pair is not None:
        # At the level of the check nothing diverges: it has to be looked as closely each time.
        return Situation(
            found=closer,
            traces=closer_traces,
            scope=closer_scope,
            closer=closer,
            closer_traces=closer_traces,
            closer_scope=closer_scope,
        )
    found = coarse or closer
    return Situation(
        found=found,
        traces=traces,
        scope=_scope(found, traces),
        closer=closer,
        closer_traces=closer_traces,
        closer_scope=closer_scope,
    )


def _scope(found: Divergence, traces: tuple[Trace, Trace]) -> RunScope:
    """To where the runs diverge, or to the end where that is near."""
    # One of the runs may have been slowed down by something else on the machine.
    near = any(is_near_the_end(found, trace) for trace in traces)
    return WHOLE if near else up_to(found, traces[0])


def to_the_place(situation: Situation) -> RunScope:
    """How far a run has to go that is only asked whether it agrees where the first two diverge.

    That is no further than there, unless next to nothing comes after it.
    """
    nearer = situation.scope
    if nearer.whole:
        nearer = up_to(situation.found, situation.traces[0])
    if nearer.whole or not all(_spares(situation.found, trace) for trace in situation.traces):
        return situation.scope
    return nearer


def _spares(found: Divergence, trace: Trace) -> bool:
    return seconds_until(found, trace) <= _MOST * float(trace.manifest.seconds)


def plain_pairs(
    situation: Situation, closer_pair: CloserPair | None
) -> Iterator[tuple[tuple[Trace, Trace], Divergence | None, str]]:
    """Pairs of runs as they are, where they diverge if they do, and how far they were compared.

    Of four runs three pairs say something of their own.

    Args:
        situation: Where the runs of the check diverge.
        closer_pair: The runs of a closer look, where one was taken.
    """
    first, second = situation.traces
    of_check = closer_pair is None or situation.found is not situation.closer
    yield (first, second), situation.found if of_check else situation.closer, "whole"
    if closer_pair is not None and of_check:
        one, other = (Trace.open(run.folder) for run in closer_pair.runs)
        yield (one, other), situation.closer, f"from step {closer_pair.from_step}"
        if situation.found.kind == "step":
            # The first run may have found things as they never were again.
            steps = situation.found.step + 1
            yield (second, one), first_divergence(second, one), f"to step {steps}"


def next_situation(before: Situation, trial: Trial) -> Situation | None:
    """What is left to explain after a pin has brought the runs further; None when they agree.

    Args:
        before: The situation that is explained.
        trial: The pair that agreed longer.
    """
    found = trial.divergence
    if found is None:
        return None
    return Situation(
        found=found,
        traces=trial.traces,
        scope=before.scope
        if before.scope.whole or not trial.whole
        else _scope(found, trial.traces),
        closer=found,
        closer_traces=trial.traces,
        closer_scope=up_to(found, trial.traces[0]) if found.kind == "output" else WHOLE,
        pinned=trial.circumstances.pinned,
        diverged=(trial.number,),
    )
