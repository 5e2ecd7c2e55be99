"""Attribution: further runs, each with something pinned, tell why two runs diverge."""

from __future__ import annotations

import os
from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.clock import ClockPin, clock_pace
from samebits.check.causes.pace import PacePin, longest_turn
from samebits.check.diff.process_traces import diverging_process
from samebits.check.diff.verdict import Divergence
from samebits.check.record.processes.inherited_hooks import INHERITED
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.attributed import Attribution
from samebits.check.trials.attribution.budget import Budget
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.counterfactual_runs import Trials
from samebits.check.trials.attribution.gathering import reads_clock
from samebits.check.trials.attribution.interventions import PINNED_BY_RUN, usable_pins
from samebits.check.trials.attribution.procedure import attribute
from samebits.check.trials.attribution.side_effects import (
    leave_no_temporary_folders,
    leave_nothing,
    may_run_together,
)
from samebits.check.trials.attribution.situation import (
    Situation,
    first_situation,
    plain_pairs,
)
from samebits.check.trials.attribution.size_of_difference import SizeOfDifference
from samebits.check.trials.closer import CloserPair
from samebits.check.trials.limits import Limits
from samebits.check.trials.runner import Runner

__all__ = ["Attribution", "explain"]

_OF_STARTS = frozenset({"serial"})
"""Hooks that act on other processes from the process that starts them."""


def explain(
    runner: Runner,
    runs: tuple[RunResult, RunResult],
    coarse: Divergence | None,
    closer: Divergence,
    closer_pair: CloserPair | None = None,
    *,
    comes_and_goes: bool = False,
    beside: bool = False,
    limits: Limits,
) -> Attribution:
    """Explain why two runs of a script diverge.

    Args:
        runner: Makes further runs; its plan is how the two runs were made.
        runs: The two runs.
        coarse: Where they diverge; None where only a closer look has shown it.
        closer: The operation behind that, or the same.
        closer_pair: The runs that `closer` was found in, where they are others.
        comes_and_goes: Whether a closer look has met pairs of runs that agree.
        beside: Whether they diverge in what they print or write beside their operations.
        limits: Further runs, and time for them, at most.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    a, b = (Trace.open(run.folder) for run in runs)
    situation = replace(
        first_situation(coarse, closer, (a, b), closer_pair), comes_and_goes=comes_and_goes
    )
    trials = Trials(
        runner=runner,
        baseline=runs[0],
        together=may_run_together(a, b),
        budget=Budget(limits.runs, limits.allowed_seconds(max(run.seconds for run in runs))),
        leaves_nothing=leave_nothing(a, b),
        removes_temporary_folders=leave_no_temporary_folders(a, b),
        reads_clock=reads_clock(a) and not beside,
        beside=beside,
        paces={ClockPin.name: clock_pace(a), PacePin.name: longest_turn(a)},
        rounds_by_itself="MKL_CBWR" in os.environ or _may_be_rounding(closer),
        process=diverging_process(closer),
        size=None
        if runner.plan.level == "module"
        else SizeOfDifference(closer, situation.closer_scope),
    )
    already = PINNED_BY_RUN if runner.plan.control else frozenset[str]()
    if beside:
        already |= {hook.name for hook in runner.plan.surroundings.hooks if hook.name == "clock"}
    if any(hook.name == "files" for hook in runner.plan.surroundings.hooks):
        already |= {"files"}
    case = Case(
        trials=trials,
        usable=_reaching(closer),
        already=already,
        thorough=limits.thorough,
    )
    found = attribute(case, _with_what_is_known(situation, trials, closer_pair))
    distance = None if trials.size is None else trials.size.distance
    return replace(found, observations=tuple(trials.observations), distance=distance)


def _with_what_is_known(
    situation: Situation, trials: Trials, closer_pair: CloserPair | None
) -> Situation:
    """The situation with what the runs so far have shown, in which nothing was pinned."""
    diverged, comes_and_goes = [], situation.comes_and_goes
    for pair, found, compared in plain_pairs(situation, closer_pair):
        number = trials.note(pair, found, compared=compared)
        if found is None:
            comes_and_goes = True
        else:
            diverged.append(number)
    return replace(situation, diverged=tuple(diverged), comes_and_goes=comes_and_goes)


def _reaching(found: Divergence) -> list[str]:
    """Pins that act where the runs diverge: in another process what it inherits, and its start."""
    names = usable_pins()
    if not found.process or found.is_on_own_thread:
        return names
    return [name for name in names if _hooks_of(name) <= INHERITED | _OF_STARTS]


def _may_be_rounding(found: Divergence) -> bool:
    """Whether runs may differ by how MKL rounds: no operation is known to be given other values."""
    return found.kind not in ("output", "inserted") or (found.is_own_doing and not found.random)


def _hooks_of(name: str) -> set[str]:
    return {hook.name for hook in causes.pin(name).surroundings().hooks}
