"""Looking closer where two runs diverge: the operation behind a step, and the values behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from samebits.check.diff import printed_output, written_files
from samebits.check.diff.distance import output_distance
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.reads import differ_in_reads_alone
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.pace_of_runs import may_go_by_pace
from samebits.check.trials.runner import Runner, TwoPlans
from samebits.errors import RecordError

_COMES_AND_GOES = (
    "when recorded again operation by operation, the runs did not diverge in this step: the "
    "difference is intermittent"
)
_ATTEMPTS = 2
"""Pairs of runs that are made to see a difference again that comes and goes."""

_MANY_STEPS = 500
"""Steps from which on it costs too much to record every operation since the first."""

_MANY_OPERATIONS = 200_000
"""Operations that one pair of runs records between two steps, where two pairs would do."""


@dataclass(frozen=True)
class CloserPair:
    """Two runs that a closer look was taken at.

    Attributes:
        runs: The runs; rows of the divergence are rows of theirs.
        from_step: The first step whose operations they have recorded.
    """

    runs: tuple[RunResult, RunResult]
    from_step: int


@dataclass
class CloserLook:
    """Makes further pairs of runs, recorded more finely where the first ones part.

    Attributes:
        runner: Makes the runs; of those that several looks ask for, each once.
        plans: How each of the two runs was made.
        name: What the second one varies, for the names of further runs; "" when nothing.
        explained: Whether further runs will look for the cause, and may tell how far results lie
            apart along the way.
        pair: The two runs in which the operation was found, where one was.
        lost: Whether no operation was found because the difference comes and goes.
    """

    runner: Runner
    plans: TwoPlans
    name: str = ""
    explained: bool = False
    pair: CloserPair | None = field(default=None, init=False)
    lost: bool = field(default=False, init=False)

    def at(
        self, divergence: Divergence, first: Trace | None = None
    ) -> tuple[Divergence, list[str]]:
        """The divergence as an operation with its values, as far as further runs show it.

        Args:
            divergence: Where the runs diverge.
            first: The first run, for what it says of whether this step differs each time.
        """
        if divergence.is_unrecorded:
            return divergence, []  # no operation of that process is recorded
        if divergence.kind not in ("step", "saved") or self.plans[0].level != "auto":
            return self._with_values(divergence, self.plans), []
        step = divergence.step
        cheap = first is not None and self._is_cheap(step, first)
        at_once = cheap and first is not None and may_go_by_pace(first)
        closer = None if at_once else self._operation_in_step(step, step)
        if closer is None or (closer.kind == "step" and closer.step < step):
            # It shows in no step of this pair, or in an earlier one: a race, on a busy machine.
            anywhere = self._operation_anywhere(step)
            if anywhere is None:
                self.lost = True
                return closer or divergence, [_COMES_AND_GOES]
            closer = anywhere
        return self._with_values(closer, self._closer_plans), []

    def behind_printed_text(
        self, first: Trace, others: Sequence[Trace]
    ) -> tuple[Divergence | None, list[str]]:
        """An operation that makes printed text differ where only steps were recorded.

        What a script computes between its steps and after the last one (an evaluation, say) leaves
        no digest at level "auto"; a line that it prints differently, or a number that it saves
        differently, is the sign to look there.

        Args:
            first: The first run.
            others: The runs to compare with it.
        """
        printed = [printed_output.printed_steps(first, other) for other in others]
        steps = {step for pair in printed if pair is not None for step in pair}
        steps |= set().union(*(written_files.value_steps(first, other) for other in others))
        return self.behind_steps(steps, operations=first.count_ops())

    def behind_steps(
        self, steps: set[int], operations: int = _MANY_OPERATIONS
    ) -> tuple[Divergence | None, list[str]]:
        """The same for what was printed or saved when these steps were done.

        Args:
            steps: The numbers of the steps.
            operations: How many operations a step has at most, for all that is known.
        """
        if self.plans[0].level != "auto":
            return None, []
        # Up to the first step's end every operation was recorded and agreed.
        later = sorted(steps - {0})
        looked_at = [(step, step) for step in later[:1] + later[1:][-1:]]
        places = "in " + " and in ".join(f"step {step}" for step, _ in looked_at)
        if len(later) > 1 and (later[-1] - later[0] + 1) * operations <= _MANY_OPERATIONS:
            looked_at = [(later[-1], later[0])]
            places = f"from step {later[0]} to step {later[-1]}"
        for step, begin in looked_at:
            closer = self._operation_in_step(step, begin)
            if closer is not None and not self._only_reads(closer):
                return self._with_values(closer, self._closer_plans), []
        self.pair = None
        return None, [_only_printed(places)] if looked_at else []

    def _only_reads(self, found: Divergence) -> bool:
        """Whether the runs part in numbers alone that one of them reads, and prints."""
        if found.kind != "inserted" or self.pair is None:
            return False
        first, second = self.pair.runs
        return differ_in_reads_alone(Trace.open(first.folder), Trace.open(second.folder))

    @property
    def _closer_plans(self) -> TwoPlans:
        """How the runs were recorded in which the operation was found."""
        return self.plans if self.pair is None else self._from_step(self.pair.from_step)

    def _operation_anywhere(self, step: int) -> Divergence | None:
        """An operation that parts in any step of further runs, which record all of them."""
        if step >= _MANY_STEPS:
            return None
        for attempt in range(_ATTEMPTS):
            found = self._operation_in_step(2 * step + 1, 0, again=f"-again-{attempt + 1}")
            if found is not None:
                return found
        return None

    def _is_cheap(self, step: int, first: Trace) -> bool:
        """Whether it costs little to record all operations of twice as many steps."""
        steps = 2 * (step + 1)
        return steps <= _MANY_STEPS and steps * first.count_ops() <= _MANY_OPERATIONS

    def _operation_in_step(self, step: int, from_step: int, again: str = "") -> Divergence | None:
        """Where two more runs diverge; kind "step" where that is before the step `from_step`.

        Args:
            step: The runs end with it; what follows the last step runs to the script's own end.
            from_step: Operations are recorded from this step on.
            again: What tells this pair from others of the same steps.
        """
        what = f"operations of step {step}"
        if from_step != step:
            what = f"operations up to step {step}"
        a, b = (
            replace(plan, steps=min(step + 1, plan.steps or step + 1))
            for plan in self._from_step(from_step)
        )
        folder = f"closer-{step}{again}"
        first, second = self._runs(what, (folder, folder), (a, b))
        found = compare_traces(Trace.open(first.folder), Trace.open(second.folder)).first_divergence
        if found is not None:
            self.pair = CloserPair((first, second), from_step)
        return found

    def _from_step(self, step: int) -> TwoPlans:
        a, b = (
            replace(plan, level="step", ops_from_step=step, is_further=True) for plan in self.plans
        )
        return a, b

    def _with_values(self, divergence: Divergence, plans: TwoPlans) -> Divergence:
        """The divergence with how far the two results lie apart.

        Where they agree this time, the difference comes and goes, and has no size to tell.
        """
        if plans[0].level == "module" or not has_size(divergence):
            return divergence
        if self.explained:
            return divergence  # runs that are made for the cause tell it along the way
        first, second = divergence.rows
        a, b = (
            replace(
                plan,
                capture_row=row,
                stop_row=None if divergence.processes else row,
                acts_in=divergence.processes[side] if divergence.processes else "0",
            )
            for side, (plan, row) in enumerate(zip(plans, divergence.rows, strict=True))
        )
        begin = f"values-{'-'.join((*divergence.processes[:1], str(a.ops_from_step or 0)))}"
        try:
            results = self._runs("values", (f"{begin}-{first}", f"{begin}-{second}"), (a, b))
        except RecordError:
            return divergence  # what was found stands, without how far apart it lies
        of_a, of_b = (result.captured for result in results)
        if of_a is None or of_b is None:
            return divergence
        distance = output_distance(of_a, of_b)
        if not distance.max_abs and not distance.max_ulp:
            return divergence
        return replace(divergence, max_abs=distance.max_abs, max_ulp=distance.max_ulp)

    def _runs(
        self, what: str, folders: tuple[str, str], plans: TwoPlans
    ) -> tuple[RunResult, RunResult]:
        if not self.name:
            return self.runner.pair(what, folders, plans, once=True)
        # The first of a pair is the same for everything that is varied.
        names = folders[0], f"{self.name}-{folders[1]}"
        return self.runner.pair(f"{self.name}: {what}", names, plans, once=True)


def has_size(divergence: Divergence) -> bool:
    """Whether it says something how far two results lie apart: not of labels or indices."""
    if divergence.kind != "output" or None in divergence.rows:
        return False
    return not divergence.signature or _has_fractions(divergence.signature)


def _only_printed(places: str) -> str:
    """What to say where a difference in print or in a file has no operation behind it."""
    return (
        f"what the script printed or saved {places} differs between the runs, but every operation "
        "there agrees"
    )


def _has_fractions(signature: str) -> bool:
    """Whether some output of a signature, "float32[2, 3]; int64[2]", may hold fractions."""
    return "float" in signature or "complex" in signature
