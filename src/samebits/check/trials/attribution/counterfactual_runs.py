"""Counterfactual runs: the script once more, with something pinned."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.values import ValueDifferences, first_value_differences
from samebits.check.diff.verdict import Divergence, Observation
from samebits.check.record.replays import Replays
from samebits.check.record.run import RunResult
from samebits.check.trace.process_folders import folder_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.check.trials.attribution.budget import Budget, OutOfRunsError
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.attribution.size_of_difference import SizeOfDifference
from samebits.check.trials.attribution.trial import Trial
from samebits.check.trials.limits import longest_run
from samebits.check.trials.recordings import RunRequest
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.setting import Setting

_APART_S = 61.7
_MKL = Surroundings(environment={"MKL_CBWR": "AUTO"})
"""What `samebits run` sets, too."""
_CHEAP_RUNS = 6
"""So many runs may an attribution have made to count as cheap."""
_LONG_S = 60.0
"""A script that takes longer is not run to its end for the sake of what may differ later."""


@dataclass
class Trials:
    """Makes counterfactual runs as long as the budget lasts, and notes what each has shown.

    Attributes:
        runner: Makes the runs; its plan is how those that diverge were made.
        baseline: How the first of them ended.
        together: Whether two runs may go on at the same time.
        budget: Runs and time that are left.
        leaves_nothing: Whether nothing outside its process tells that the script has run.
        removes_temporary_folders: Whether whole runs have removed all folders of `tempfile`.
        reads_clock: Whether the script asks what time it is.
        beside: Whether what the runs print and write beside their operations counts as well.
        paces: Settings of pins that go by how fast the script is, by their names.
        rounds_by_itself: Whether the script decides how MKL rounds, or may differ by that alone.
        size: How far the results lie apart where the runs first diverge.
        process: What the process is called whose variables are followed; "0" is the script's own.
        observations: What was compared so far.
    """

    runner: Runner
    baseline: RunResult
    together: bool
    budget: Budget
    leaves_nothing: bool = False
    removes_temporary_folders: bool = False
    reads_clock: bool = False
    beside: bool = False
    paces: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    rounds_by_itself: bool = False
    size: SizeOfDifference | None = None
    process: str = MAIN_PROCESS
    observations: list[Observation] = field(default_factory=list)
    _pairs: dict[tuple[Interventions, RunScope], Trial] = field(default_factory=dict)
    _made: dict[tuple[Interventions, RunScope], int] = field(default_factory=dict)
    _begun: dict[tuple[Interventions, RunScope], RunResult] = field(default_factory=dict)
    _under_control: dict[RunScope, RunResult] = field(default_factory=dict)
    _still: dict[tuple[Interventions, RunScope, bool], RunResult] = field(default_factory=dict)

    def pair(self, circumstances: Interventions, scope: RunScope, *, anew: bool = False) -> Trial:
        """Two runs in the same circumstances; the same pair is made once.

        Args:
            circumstances: What is pinned.
            scope: How far to run.
            anew: Whether to make it once more all the same.

        Raises:
            OutOfRunsError: The budget holds less than the runs that it takes.
        """
        known = self._pairs.get((circumstances, scope))
        if known is not None and not anew:
            return known
        if circumstances.control:
            return self._pair_under_control(circumstances, scope)
        orders = self._orders(circumstances, scope)
        second = None if anew else self._begun.pop((circumstances, scope), None)
        ahead = [] if second is None else [second]
        at_once = self._may_meet(circumstances)
        results = [*self._runs(orders[: 2 - len(ahead)], at_once=at_once), *ahead]
        trial = self._judged(circumstances, scope, _traces(results), results)
        self._pairs[circumstances, scope] = trial
        return trial

    def with_an_uneven_clock(self, circumstances: Interventions, scope: RunScope) -> Trial | None:
        """The same pair with pinned clocks that go on by more or less each time.

        Durations are alike else, and a script may fail where all are: it divides by how far they
        lie apart. Where that is so, clocks stay uneven in later runs.

        Returns:
            None where clocks are uneven already, or where such runs fail as well.
        """
        even = self.paces
        if even.get("clock", {}).get("uneven"):
            return None
        self.paces = {**even, "clock": {**even.get("clock", {}), "uneven": 1}}
        trial = self.pair(circumstances, scope, anew=True)
        if trial.usable:
            return trial
        self.paces = even
        return None

    def beside_control(self, circumstances: Interventions, scope: RunScope) -> Trial:
        """One run under `samebits run`, beside one with a part of that pinned and the rest let go.

        The first of them is made once. Where they do not agree, the other one counts as the second
        of the pair that may be asked for.

        Raises:
            OutOfRunsError: The budget holds less than the runs that it takes.
        """
        control = Interventions(control=True)
        orders = [self._orders(control, scope)[0], self._orders(circumstances, scope)[1]]
        results = self._run_first_under_control(orders, scope)
        self._begun[circumstances, scope] = results[1]
        freed = "the rest of samebits run --seed 0"
        if circumstances.shaken:
            freed += " + addresses"
        return self._judged(circumstances, scope, _traces(results), results, varied=freed)

    def once_more(
        self, reference: tuple[Trace, Trace], circumstances: Interventions, scope: RunScope
    ) -> Trial:
        """One more run, beside one in the same circumstances that was made before.

        Args:
            reference: Two runs in these circumstances; the first one is compared with.
            circumstances: What is pinned.
            scope: How far to run.

        Raises:
            OutOfRunsError: The budget is spent.
        """
        number = self._made.get((circumstances, scope), 2) + 1
        self._made[circumstances, scope] = number
        order = self._order(circumstances, scope, f"run {number}", f"{number}")
        (result,) = self._runs([order])
        return self._beside(reference[0], result, circumstances, scope)

    def against(self, reference: Trial, circumstances: Interventions, scope: RunScope) -> Trial:
        """One run in other circumstances, beside the first run of a pair.

        Raises:
            OutOfRunsError: The budget is spent.
        """
        order = self._order(circumstances, scope, "one run", "let-go")
        (result,) = self._runs([order])
        freed = sorted(reference.circumstances.pinned - circumstances.pinned)
        return self._beside(
            reference.traces[0], result, circumstances, scope, varied=" + ".join(freed)
        )

    def compare(
        self,
        reference: Trace,
        other: Trace,
        circumstances: Interventions,
        scope: RunScope,
        *,
        varied: Collection[str] = (),
    ) -> Trial:
        """Two runs that were made, beside each other; makes none.

        Args:
            reference: A run.
            other: Another one.
            circumstances: What was pinned in both.
            scope: How far they went.
            varied: What was pinned in the first one alone.
        """
        freed = " + ".join(sorted(varied))
        return self._judged(circumstances, scope, (reference, other), [], varied=freed)

    def let_go(
        self,
        still: Interventions,
        varied: Interventions,
        scope: RunScope,
        *,
        follow: bool,
        again: bool = False,
    ) -> tuple[Trial, ValueDifferences]:
        """Two runs in which one thing varies and all else is pinned.

        Args:
            still: Everything pinned.
            varied: The same, but for what varies.
            scope: How far to run.
            follow: Whether to follow the script's variables too, line by line.
            again: Whether such runs were made before; the second one is made once more.

        Returns:
            Where the runs diverge, and where their variables do.

        Raises:
            OutOfRunsError: The budget holds less than two runs.
        """
        what = "values of variables" if follow else "one thing let go"
        orders = []
        for number, circumstances in enumerate((still, varied), start=1):
            suffix = f"{'values' if follow else 'let-go'}-{number + again * (number > 1)}"
            order = self._order(circumstances, scope, "", suffix)
            label = f"{what}, run {number} of 2"
            plan = replace(order.plan, trace_values=follow, acts_in=self.process)
            orders.append(replace(order, label=label, plan=plan))
        # The first run may have been made beside another that lets something else go.
        known = self._still.get((still, scope, follow)) if still != varied else None
        at_once = self._may_meet(still) and self._may_meet(varied)
        if known is None:
            results = self._runs(orders, at_once=at_once)
        else:
            results = [known, *self._runs(orders[1:])]
        self._still[still, scope, follow] = results[0]
        first, second = (Trace.open(result.folder) for result in results)
        freed = " + ".join(sorted(still.pinned - varied.pinned))
        if varied.shaken:
            freed = freed or "addresses"
        trial = self._judged(still, scope, (first, second), results, varied=freed)
        values = ValueDifferences()
        if follow:
            values = first_value_differences(*(folder_of(r.folder, self.process) for r in results))
        return trial, values

    def replays(self, circumstances: Interventions, scope: RunScope) -> Replays | None:
        """How the operation at the end of the scope repeats on its inputs; None if not told.

        Raises:
            OutOfRunsError: The budget is spent.
        """
        order = self._order(circumstances, scope, "the operation again on its inputs", "replay")
        plan = replace(order.plan, stop_row=None, replay_row=scope.row)
        (result,) = self._runs([replace(order, plan=plan)])
        if self.size is not None and not circumstances.pinned:
            self.size.take_repeated(result.replayed)
        return None if result.replays is None else Replays.from_json(result.replays)

    def note(
        self,
        traces: tuple[Trace, Trace],
        divergence: Divergence | None,
        *,
        pinned: Collection[str] = (),
        varied: str = "",
        compared: str = "whole",
        usable: bool = True,
    ) -> int:
        """Keep what a comparison has shown; its number is returned."""
        diverges = divergence is not None and usable
        self.observations.append(
            Observation(
                runs=(str(traces[0].folder), str(traces[1].folder)),
                pinned=tuple(sorted(pinned)),
                varied=varied,
                compared=compared,
                outcome="unusable" if not usable else "agree" if divergence is None else "diverge",
                step=divergence.step if diverges and divergence is not None else None,
                op=divergence.op if diverges and divergence is not None else "",
                file=divergence.file if diverges and divergence is not None else None,
                line=divergence.line if diverges and divergence is not None else None,
            )
        )
        return len(self.observations) - 1

    @property
    def was_cheap(self) -> bool:
        """Whether few runs were made so far, those of one whole pair included."""
        return self.budget.made <= _CHEAP_RUNS + 2

    @property
    def has_time_for_whole_runs(self) -> bool:
        """Whether two runs of the whole script are little beside what was spent so far."""
        cheap = self.budget.made <= _CHEAP_RUNS and self.baseline.seconds <= _LONG_S
        return cheap and self.budget.seconds_left >= 2 * self.baseline.seconds

    def _may_meet(self, circumstances: Interventions) -> bool:
        """Whether two runs may be there at once: not where both give what they leave one name."""
        return self.leaves_nothing or not circumstances.pins_names

    def _runs(self, orders: list[RunRequest], *, at_once: bool = True) -> list[RunResult]:
        self.budget.take(len(orders))
        results = self.runner.runs(orders, together=self.together and at_once)
        if any(result.timed_out for result in results) and self.budget.seconds_left <= 0:
            raise OutOfRunsError
        for result in results:
            if self.size is not None:
                self.size.take(result)
        return results

    def _pair_under_control(self, control: Interventions, scope: RunScope) -> Trial:
        results = self._run_first_under_control(self._orders(control, scope), scope)
        trial = self._judged(control, scope, _traces(results), results)
        self._pairs[control, scope] = trial
        return trial

    def _run_first_under_control(
        self, orders: list[RunRequest], scope: RunScope
    ) -> list[RunResult]:
        """Two runs, the first one under `samebits run`; that is made once for each scope."""
        known = self._under_control.get(scope)
        ahead = [] if known is None else [known]
        results = [*ahead, *self._runs(orders[len(ahead) :])]
        self._under_control[scope] = results[0]
        return results

    def _orders(self, circumstances: Interventions, scope: RunScope) -> list[RunRequest]:
        """Two runs that may go on at the same time; only the second one is shaken, if any is."""
        self._made[circumstances, scope] = 2
        orders = [
            self._order(one, scope, f"run {number} of 2", f"{number}")
            for number, one in enumerate((replace(circumstances, shaken=False), circumstances), 1)
        ]
        if self.together and self._varies_clock(circumstances):
            orders = [_at_another_time(order, n) for n, order in enumerate(orders)]
        return orders

    def _varies_clock(self, circumstances: Interventions) -> bool:
        return self.reads_clock and "clock" not in circumstances.pinned

    def _order(
        self, circumstances: Interventions, scope: RunScope, what: str, suffix: str
    ) -> RunRequest:
        options = scope.applied(self.runner.plan)
        if circumstances.control:
            options = replace(options, control=True, seed=0)
        surroundings = options.surroundings | circumstances.surroundings(
            self.paces,
            series=self.runner.recordings.series_of_names,
        )
        if circumstances.reproducible_mkl and not self.rounds_by_itself:
            surroundings |= _MKL
        plain = circumstances == Interventions()
        timeout = longest_run(self.baseline.seconds, options.timeout)
        if math.isfinite(self.budget.seconds):
            timeout = min(timeout, max(self.budget.seconds_left, 0.1))
        return RunRequest(
            label=f"{circumstances.label}, {what}",
            name=str(Path("attribution", f"{scope.name}{circumstances.name}-{suffix}")),
            plan=replace(
                options,
                surroundings=surroundings,
                timeout=timeout,
                ends_quickly=self.leaves_nothing,
                is_further=True,
                removes_temporary_folders=self.removes_temporary_folders,
                leaves_files_unread=not scope.whole and not self.beside,
            ),
            capture=self.size.row_of(scope) if self.size is not None and plain else None,
        )

    def _beside(
        self,
        reference: Trace,
        result: RunResult,
        circumstances: Interventions,
        scope: RunScope,
        *,
        varied: str = "",
    ) -> Trial:
        traces = (reference, Trace.open(result.folder))
        return self._judged(circumstances, scope, traces, [result], varied=varied)

    def _judged(
        self,
        circumstances: Interventions,
        scope: RunScope,
        traces: tuple[Trace, Trace],
        results: list[RunResult],
        *,
        varied: str = "",
    ) -> Trial:
        found = first_divergence(*traces)
        if found is None and self.beside:
            found = divergence_beside(*traces)
        if found is None and len({(r.exit_code, r.signal) for r in results}) > 1:
            found = Divergence(kind="exit", step=0, phase="setup", op="exit")
        usable = all(self._as_before(result, scope) for result in results)
        if circumstances.shaken and not varied:
            varied = "addresses"
        number = self.note(
            traces,
            found,
            pinned=circumstances.pinned_in_words,
            varied=varied,
            compared=scope.words,
            usable=usable,
        )
        return Trial(
            circumstances=circumstances,
            traces=traces,
            divergence=found,
            usable=usable,
            whole=scope.whole,
            number=number,
        )

    def _as_before(self, result: RunResult, scope: RunScope) -> bool:
        """Whether a run ended as the script does by itself, or came as far as was asked."""
        if result.timed_out:
            return False
        if not scope.whole and Trace.open(result.folder).manifest.exit["reason"].startswith("stop"):
            return True
        return (result.exit_code, result.signal) == (self.baseline.exit_code, self.baseline.signal)


def _traces(results: Sequence[RunResult]) -> tuple[Trace, Trace]:
    first, second = (Trace.open(result.folder) for result in results)
    return first, second


def _at_another_time(order: RunRequest, number: int) -> RunRequest:
    """Runs that start in the same second would agree on a seed of seconds: a minute lies between.

    Both get the replacement for the clock, so that nothing else tells them apart.
    """
    settings: dict[str, Setting] = {"mode": "shifted", "offset": number * _APART_S}
    shifted = Surroundings(hooks=(HookSpec(name="clock", settings=settings),))
    surroundings = order.plan.surroundings | shifted
    return replace(order, plan=replace(order.plan, surroundings=surroundings))
