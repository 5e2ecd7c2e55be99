"""The values behind a divergence: further runs keep them, to be compared element by element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samebits.check.diff.elements import differing_tensors
from samebits.check.diff.explanation import (
    DivergenceValues,
    PartGrowth,
    Repetition,
    TensorDifference,
)
from samebits.check.diff.growth_of_processes import growth_of_processes
from samebits.check.diff.tensor_way import TensorWay, tensor_way
from samebits.check.diff.verdict import Divergence, Verdict
from samebits.check.record.plan import FOLLOWED_FILE, OUTPUTS_FILE, RunPlan
from samebits.check.record.replays import Replays
from samebits.check.record.run import RunResult
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trials.closer import CloserLook
from samebits.check.trials.runner import Runner
from samebits.errors import RecordError, TraceError

MOST_KEPT = 24
"""Steps whose values are kept; more of them say little about growth, and cost room."""


def with_explanation(verdict: Verdict, runner: Runner, look: CloserLook | None) -> Verdict:
    """A verdict with the values behind its first divergence.

    Two further runs save what the diverging operation gives, who made each tensor from there to the
    end of the step, and the state after some steps from there on; where operations are recorded
    again for that, two more keep the state. A last one repeats the operation on its inputs.

    Args:
        verdict: What the runs came to.
        runner: Makes the further runs.
        look: The closer look that found the operation, where one was taken.

    Raises:
        RecordError: A run could not be started.
    """
    found = verdict.first_divergence
    if found is None or verdict.verdict != "different":
        return verdict
    if found.kind in ("printed", "exit", "saved") or found.is_unrecorded:
        return replace(verdict, explanation=DivergenceValues(missing=(_NO_VALUES,)))
    run = verdict.runs[verdict.compared[0]]
    steps = max(run.steps, *(one.steps for one in run.processes), 0)
    from_step = look.pair.from_step if look is not None and look.pair is not None else None
    return replace(
        verdict,
        explanation=_Values(runner, found, from_step, steps).explained(),
    )


_NO_VALUES = "no operation is known whose values could be compared"
_NO_STEPS = "how the state drifts apart is not told: no optimizer step was recorded"
_NO_STATE = (
    "how the state drifts apart is not known: after none of the steps could the state be kept"
)
_AGREED = (
    "in the two runs that kept its values, the operation gave the same bits: it comes and goes"
)
_NOT_COMPARABLE = (
    "the values cannot be compared element by element: their shapes or dtypes differ, or nothing "
    "of them could be kept"
)
_NO_WAY = "how the difference went on is not known: {}"
_NOT_KEPT = "the values of the operation could not be kept: {}"


def steps_to_keep(first: int, steps: int, most: int = MOST_KEPT) -> tuple[int, ...]:
    """Steps from the first difference on: each of the first ones, then further and further apart.

    Args:
        first: The step of the first difference.
        steps: How many steps the run takes.
        most: How many at most.
    """
    last = steps - 1
    if last < first:
        return ()
    if last - first < most:
        return tuple(range(first, steps))
    factor = (last - first) ** (1 / (most - 1))
    chosen = {first, last}
    chosen |= {first + round(factor**n) for n in range(most - 2)}
    return tuple(sorted(step for step in chosen if step <= last))


@dataclass
class _Values:
    runner: Runner
    found: Divergence
    from_step: int | None
    steps: int
    missing: list[str] = field(default_factory=list)

    def explained(self) -> DivergenceValues:
        kept = steps_to_keep(self.found.step, self.steps)
        tensors: tuple[TensorDifference, ...] = ()
        runs: Sequence[RunResult] = ()
        repeats = None
        way: TensorWay | None = None
        together = self.from_step is None and self.runner.plan.level in ("auto", "op")
        if self._has_values:
            runs = self._pair("values", self._capturing(kept if together else ()))
            tensors = self._differing(runs)
            way = self._way(runs) if tensors else None
            repeats = self._repeats()
        growing = runs if runs and together else ()
        if kept and not growing:
            keeping = replace(self.runner.plan, level="step", kept_steps=kept, is_further=True)
            growing = self._pair("state", (keeping, keeping))
        return DivergenceValues(
            runs=tuple(str(run.folder) for run in runs),
            tensors=tensors,
            repeats=repeats,
            growth=self._growth(growing),
            growth_runs=tuple(str(run.folder) for run in growing),
            slice=None if way is None else way.slice,
            distances=() if way is None else way.distances,
            missing=tuple(self.missing),
        )

    @property
    def _has_values(self) -> bool:
        has = self.found.kind == "output" and None not in self.found.rows
        if not has:
            self.missing.append(_NO_VALUES)
        return has

    @property
    def _plan(self) -> RunPlan:
        """How the runs were recorded that the rows of the divergence stand in."""
        plan = replace(self.runner.plan, is_further=True)
        if self.from_step is None:
            return plan
        return replace(plan, level="step", ops_from_step=self.from_step)

    def _capturing(self, kept: tuple[int, ...]) -> tuple[RunPlan, RunPlan]:
        processes = self.found.processes
        a, b = (
            replace(
                self._plan,
                capture_row=row,
                keep_captured=True,
                follow_row=row,
                kept_steps=kept,
                steps=self._plan.steps if processes or kept else self.found.step + 1,
                acts_in=processes[side] if processes else "0",
            )
            for side, row in enumerate(self.found.rows)
        )
        return a, b

    def _pair(self, what: str, plans: tuple[RunPlan, RunPlan]) -> Sequence[RunResult]:
        try:
            return self.runner.pair(f"keeping the {what}", f"explain-{what}", plans)
        except RecordError as error:
            self.missing.append(_NOT_KEPT.format(error.message))
            return ()

    def _differing(self, runs: Sequence[RunResult]) -> tuple[TensorDifference, ...]:
        if not runs:
            return ()
        files = [self._outputs_of(run, side) for side, run in enumerate(runs)]
        if not all(file.is_file() for file in files):
            self.missing.append(_NOT_KEPT.format("it was not reached again, or there was no room"))
            return ()
        try:
            found = differing_tensors(files[0], files[1])
        except TraceError as error:
            self.missing.append(_NOT_KEPT.format(error.message))
            return ()
        if not found:
            same = files[0].read_bytes() == files[1].read_bytes()
            self.missing.append(_AGREED if same else _NOT_COMPARABLE)
        return tuple(found)

    def _way(self, runs: Sequence[RunResult]) -> TensorWay | None:
        """How the difference went on, tensor by tensor."""
        folders = [self._folder_of(run, side) for side, run in enumerate(runs)]
        if not all((folder / FOLLOWED_FILE).is_file() for folder in folders):
            return None
        try:
            a, b = (Trace.open(folder) for folder in folders)
            notes = folders[0] / FOLLOWED_FILE, folders[1] / FOLLOWED_FILE
            return tensor_way(self.found, (a, b), notes)
        except TraceError as error:
            self.missing.append(_NO_WAY.format(error.message))
            return None

    def _folder_of(self, run: RunResult, side: int) -> Path:
        """What the process of the divergence has recorded in a run."""
        if self.found.processes:
            return process_folder(run.folder, self.found.processes[side])
        return run.folder

    def _outputs_of(self, run: RunResult, side: int) -> Path:
        return self._folder_of(run, side) / OUTPUTS_FILE

    def _repeats(self) -> Repetition | None:
        """How the operation repeats on its inputs; not asked of what draws, or of data."""
        if self.found.random or not self.found.is_own_doing or self.found.processes:
            return None
        plan = replace(self._plan, replay_row=self.found.rows[0])
        try:
            run = self.runner.run("the operation again on its inputs", "explain-again", plan)
        except RecordError as error:
            self.missing.append(f"whether it repeats by itself is not known: {error.message}")
            return None
        if run.replays is None:
            return None
        replays = Replays.from_json(run.replays)
        return Repetition(
            times=replays.repeats.get("as-is", 0), results=replays.results.get("as-is", 0)
        )

    def _growth(self, runs: Sequence[RunResult]) -> tuple[PartGrowth, ...]:
        if not runs:
            if not self.steps:
                self.missing.append(_NO_STEPS)
            return ()
        try:
            growth = tuple(growth_of_processes(*(Trace.open(run.folder) for run in runs)))
        except TraceError as error:
            self.missing.append(f"how the state drifts apart is not known: {error.message}")
            return ()
        if not growth:
            self.missing.append(_NO_STATE)
        return growth
