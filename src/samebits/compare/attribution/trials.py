"""Counterfactual runs: the script once more, with something held still."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from samebits.compare.attribution.scope import Scope
from samebits.compare.divergence import compare_traces
from samebits.compare.recordings import Order, Recordings
from samebits.compare.values import ValueDifferences, first_value_differences
from samebits.compare.verdict import Divergence
from samebits.control import holds, variation, variations
from samebits.control.surroundings import HookSpec, Setting, Surroundings
from samebits.record.replays import Replays
from samebits.record.run import RunOptions, RunResult
from samebits.trace.reader import Trace

_APART_S = 61.7
Sites = tuple[tuple[str, int], ...]


class OutOfRunsError(Exception):
    """The budget holds no further run."""


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """What is held still in a run.

    Attributes:
        held: Names of holds.
        sites: Where a hold is bound to lines: its name → the lines.
        sources: Where the hold of seeds is bound to kinds of generators: which.
        control: Whether the script runs as under `samebits run --seed 0` besides.
        shaken: Whether objects lie at other addresses, and in another order of them; of a pair, in
            the second run.
    """

    held: frozenset[str] = frozenset()
    sites: tuple[tuple[str, Sites], ...] = ()
    sources: tuple[str, ...] = ()
    control: bool = False
    shaken: bool = False

    def surroundings(self) -> Surroundings:
        """What to run the script in."""
        result = Surroundings()
        if self.shaken:
            result |= variations.named("addresses").surroundings(variation.Circumstances())
        bound = dict(self.sites)
        for name in sorted(self.held):
            settings: dict[str, Setting] = {}
            if name == "seeds" and self.sources:
                settings["sources"] = list(self.sources)
            result |= holds.named(name).surroundings(sites=bound.get(name), settings=settings)
        return result

    @property
    def label(self) -> str:
        """What is held, in words."""
        if self.control:
            return "under samebits run --seed 0"
        names = sorted(self.held)
        if not names:
            return "nothing pinned"
        what = " + ".join(names) if len(names) <= 4 else f"{len(names)} things"
        return f"{what} pinned" + (", addresses shuffled" if self.shaken else "")

    @property
    def name(self) -> str:
        """A folder's name for it."""
        text = "+".join(sorted(self.held)) or "nothing"
        if self.control:
            text = "control"
        if self.shaken:
            text += "-shaken"
        if self.sites or self.sources:
            bound = repr((self.sites, self.sources)).encode()
            text += f"-{blake2b(bound, digest_size=4).hexdigest()}"
        return text


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Two runs in the same circumstances.

    Attributes:
        circumstances: What was held still in both.
        traces: The runs; the first two that were made, where there were more.
        divergence: Where they part; None when they agree as far as they went.
        usable: False when a run ended in another way than the script does by itself, so that it
            proves nothing.
        whole: Whether they went to the script's own end.
    """

    circumstances: Circumstances
    traces: tuple[Trace, Trace]
    divergence: Divergence | None
    usable: bool = True
    whole: bool = True


@dataclass
class Trials:
    """Makes counterfactual runs as long as the budget lasts.

    Attributes:
        recordings: Makes the runs.
        options: How the runs that parted were made.
        baseline: How the first of them ended.
        together: Whether two runs may go on at the same time.
        budget: Runs that may still be made.
        leaves_nothing: Whether nothing outside its process tells that the script has run.
        reads_clock: Whether the script asks what time it is.
    """

    recordings: Recordings
    options: RunOptions
    baseline: RunResult
    together: bool
    budget: int
    leaves_nothing: bool = False
    reads_clock: bool = False
    _pairs: dict[tuple[Circumstances, Scope, int], Trial] = field(default_factory=dict)

    def pair(self, circumstances: Circumstances, scope: Scope, attempt: int = 1) -> Trial:
        """Two runs in the same circumstances, and where they part.

        Args:
            circumstances: What is held still.
            scope: How far to run.
            attempt: Which pair of that kind: the same one is made once.

        Raises:
            OutOfRunsError: The budget holds less than two runs.
        """
        known = self._pairs.get((circumstances, scope, attempt))
        if known is not None:
            return known
        again = "" if attempt == 1 else f"again-{attempt}-"
        orders = [
            self._order(one, scope, f"run {number} of 2", f"{again}{number}")
            for number, one in enumerate((replace(circumstances, shaken=False), circumstances), 1)
        ]
        if self.together and self.reads_clock and "clock" not in circumstances.held:
            orders = [_at_another_time(order, n) for n, order in enumerate(orders)]
        trial = self._judged(circumstances, scope, self._runs(orders))
        self._pairs[circumstances, scope, attempt] = trial
        return trial

    def against(self, reference: Trial, circumstances: Circumstances, scope: Scope) -> Trial:
        """One run in other circumstances, beside the first run of a pair.

        Raises:
            OutOfRunsError: The budget is spent.
        """
        order = self._order(circumstances, scope, "one run", "1")
        (result,) = self._runs([order])
        trace = Trace.open(result.folder)
        found = compare_traces(reference.traces[0], trace).first_divergence
        return Trial(
            circumstances=circumstances,
            traces=(reference.traces[0], trace),
            divergence=found,
            usable=self._as_before(result, scope),
            whole=scope.whole,
        )

    def values(self, still: Circumstances, varied: Circumstances, scope: Scope) -> ValueDifferences:
        """Where the script's variables part when one thing varies and all else is held still.

        Args:
            still: Everything held.
            varied: The same, but for what varies.
            scope: How far to run.

        Raises:
            OutOfRunsError: The budget holds less than two runs.
        """
        orders = []
        for number, circumstances in enumerate((still, varied), start=1):
            order = self._order(circumstances, scope, "", f"values-{number}")
            orders.append(
                replace(
                    order,
                    label=f"values of variables, run {number} of 2",
                    options=replace(order.options, trace_values=True),
                )
            )
        of_still, of_varied = self._runs(orders)
        return first_value_differences(of_still.folder, of_varied.folder)

    def replays(self, circumstances: Circumstances, scope: Scope) -> Replays | None:
        """How the operation at the end of the scope repeats on its inputs; None if not told.

        Raises:
            OutOfRunsError: The budget is spent.
        """
        order = self._order(circumstances, scope, "the operation again on its inputs", "replay")
        options = replace(order.options, stop_row=None, replay_row=scope.row)
        (result,) = self._runs([replace(order, options=options)])
        return None if result.replays is None else Replays.from_json(result.replays)

    def _runs(self, orders: list[Order]) -> list[RunResult]:
        if self.budget < len(orders):
            raise OutOfRunsError
        self.budget -= len(orders)
        if self.together and len(orders) > 1:
            return self.recordings.run_together(orders)
        return [self.recordings.run(order) for order in orders]

    def _order(self, circumstances: Circumstances, scope: Scope, what: str, suffix: str) -> Order:
        options = scope.applied(self.options)
        if circumstances.control:
            options = replace(options, control=True, seed=0)
        surroundings = options.surroundings | circumstances.surroundings()
        # What holds something still may wait where the script does not; it must not wait for ever.
        timeout = max(60.0, 10 * self.baseline.seconds)
        if options.timeout is not None:
            timeout = min(timeout, options.timeout)
        return Order(
            label=f"{circumstances.label}, {what}",
            name=str(Path("attribution", f"{scope.name}{circumstances.name}-{suffix}")),
            options=replace(
                options,
                surroundings=surroundings,
                timeout=timeout,
                ends_quickly=self.leaves_nothing,
            ),
        )

    def _judged(
        self, circumstances: Circumstances, scope: Scope, results: list[RunResult]
    ) -> Trial:
        first, second = (Trace.open(result.folder) for result in results)
        return Trial(
            circumstances=circumstances,
            traces=(first, second),
            divergence=self._divergence(first, second, results),
            usable=all(self._as_before(result, scope) for result in results),
            whole=scope.whole,
        )

    def _divergence(
        self, first: Trace, second: Trace, results: list[RunResult]
    ) -> Divergence | None:
        found = compare_traces(first, second).first_divergence
        if found is None and len({(r.exit_code, r.signal) for r in results}) > 1:
            return Divergence(kind="exit", step=0, phase="setup", op="exit")
        return found

    def _as_before(self, result: RunResult, scope: Scope) -> bool:
        """Whether a run ended as the script does by itself, or came as far as was asked."""
        if result.timed_out:
            return False
        if not scope.whole and Trace.open(result.folder).manifest.exit["reason"].startswith("stop"):
            return True
        return (result.exit_code, result.signal) == (self.baseline.exit_code, self.baseline.signal)


def _at_another_time(order: Order, number: int) -> Order:
    """Runs that start in the same second would agree on a seed of seconds: a minute lies between.

    Both get the stand-in for the clock, so that nothing else tells them apart.
    """
    settings: dict[str, Setting] = {"mode": "shifted", "offset": number * _APART_S}
    shifted = Surroundings(hooks=(HookSpec(name="clock", settings=settings),))
    surroundings = order.options.surroundings | shifted
    return replace(order, options=replace(order.options, surroundings=surroundings))


def hold_names(*, but: Collection[str] = ()) -> list[str]:
    """Holds that work on this machine, sorted."""
    return [
        name
        for name in holds.names()
        if name not in but and holds.named(name).not_applicable() is None
    ]
