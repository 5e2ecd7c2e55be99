"""`cost`: the runs in which a script's own steps are timed, plain, deterministic and exact."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.process_names import name_in_group
from samebits.check.record.cost import CostSamples, slowest_of
from samebits.check.record.cost_files import SCRIPT
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.recordings import Recordings
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import Surroundings
from samebits.errors import TraceError


@dataclass(frozen=True, kw_only=True)
class MeasuredCost:
    """What was timed.

    Attributes:
        result: How the last run ended.
        samples: What its steps took; None where too few were timed. Of ranks, which wait for one
            another, the slowest counts in each step.
        processes: Name of each process that was timed → what its steps took; empty where that is
            the script's own alone.
        exact_missing: Why none was timed under exact arithmetic, in one line; None where it was, or
            was not asked for.
        elsewhere: Processes that the script has started and that use torch, where too few steps
            were timed.
    """

    result: RunResult
    samples: CostSamples | None
    processes: Mapping[str, CostSamples] = field(default_factory=dict)
    exact_missing: str | None = None
    elsewhere: tuple[str, ...] = ()


def measure_cost(
    target: Target, *, steps: int, exact: bool, timeout: float | None = None
) -> MeasuredCost:
    """Time the steps of a script and of the processes that it starts, in one run.

    A second one is made where it cannot be computed exactly.

    Args:
        target: What to run.
        steps: Steps of each kind to time.
        exact: Whether to time exact arithmetic as well.
        timeout: Seconds after which a run is ended.

    Raises:
        RecordError: A run could not be started.
    """
    # cuBLAS reads it once: with it from the start, all kinds of steps have it.
    workspace = Surroundings(environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"})
    plan = RunPlan(
        level="step",
        cost_steps=steps,
        cost_exact=exact,
        timeout=timeout,
        capture_output=True,
        surroundings=workspace,
    )
    exact_missing = None
    with tempfile.TemporaryDirectory(prefix="samebits-cost-") as folder:
        runner = Runner(Recordings(target, Path(folder)), plan)
        result = runner.run("steps timed", "run", may_fail=True)
        if exact and not result.costs and not result.timed_out:
            exact_missing = _why_not_exact(result)
            without = replace(plan, cost_exact=False)
            result = runner.run("steps timed", "run-not-exact", without, may_fail=True)
        names = _using_torch(result.folder)
    costs = {token: CostSamples.parse(text) for token, text in result.costs.items()}
    if not costs:
        return MeasuredCost(
            result=result,
            samples=None,
            exact_missing=exact_missing,
            elsewhere=tuple(names.values()),
        )
    return MeasuredCost(
        result=result,
        samples=_together(costs),
        processes={} if set(costs) == {SCRIPT} else _named(costs, names),
        exact_missing=exact_missing,
    )


def _together(costs: Mapping[str, CostSamples]) -> CostSamples:
    """What a step of the whole run takes."""
    return next(iter(costs.values())) if len(costs) == 1 else slowest_of(list(costs.values()))


def _named(costs: Mapping[str, CostSamples], names: Mapping[str, str]) -> Mapping[str, CostSamples]:
    own = {SCRIPT: "the script's own process"}
    return {(own | dict(names)).get(token, f"process {token}"): costs[token] for token in costs}


def _using_torch(folder: Path) -> dict[str, str]:
    """Token → name of the processes that the script has started and that have imported torch."""
    try:
        groups = process_groups(Trace.open(folder), lines=True).values()
    except TraceError:
        return {}
    return {
        process["name"]: name_in_group(process, group)
        for group in groups
        for process in group
        if process["torch"] != "no" and process["kind"] != "thread"
    }


def _why_not_exact(result: RunResult) -> str:
    if result.failure is not None:
        return result.failure
    if result.exit_code == 0:
        return "the script makes too few steps for three kinds."
    errors = [line for line in result.stderr_tail.splitlines() if "NotExactError: " in line]
    if errors:
        return errors[-1].partition("NotExactError: ")[2]
    return f"the script ended with {result.ending} under it."
