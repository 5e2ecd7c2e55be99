"""The line of the script to blame when a variation makes it part."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.variation import LineSource, Variation
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.check.diff.process_traces import diverging_process
from samebits.check.diff.values import ValueDifferences, first_value_differences
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.process_folders import folder_of
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution import (
    culprit,
    culprit_by_values,
    culprit_in_ledger,
    culprit_in_memory,
)
from samebits.check.trials.attribution.gathering import gather
from samebits.check.trials.attribution.scope import up_to
from samebits.check.trials.attribution.situation import first_situation
from samebits.check.trials.closer import CloserLook
from samebits.core.interposition.surroundings import Surroundings
from samebits.errors import SamebitsError


@dataclass(frozen=True)
class VariedLine:
    """Where the culprit stands, and what to write there."""

    file: str | None
    line: int | None
    fix: str | None


def varied_line(
    variation: Variation,
    look: CloserLook,
    pair: tuple[RunResult, RunResult],
    coarse: Divergence | None,
    closer: Divergence,
) -> VariedLine:
    """Find the line of the user's code that the varied thing came in by.

    The variation says how it is found. Without such a line it is that of the operation that
    diverges. Where the script itself goes by what was varied, and not an operation of torch, it is
    the first line after which a variable differs.

    Args:
        variation: What was varied.
        look: What has looked closer at the two runs; its runner makes further ones.
        pair: The first run, and the one that was varied.
        coarse: Where they diverge; None where only a closer look has shown it.
        closer: The operation behind that, or the same.
    """
    cause = causes.of_variation(variation.name)
    elsewhere = bool(variation.meaning_elsewhere) and not is_computed_otherwise(closer)
    found = None
    # Without a line of its own the operation's is right, if not the best.
    with contextlib.suppress(SamebitsError):
        search = _LineSearch(variation, look, pair, coarse, closer)
        sources = ("variable",) if elsewhere else variation.lines
        # Of a pool, another process may take the task next time: what it noted stays.
        found = search.first(("ledger", *sources) if closer.processes else sources)
    written = None if found is None else fix(cause.code, found, frozenset())
    if found is not None and elsewhere and found.variable:
        written = variation.fix_elsewhere
    found = found or culprit.of_divergence(closer)
    # What the catalog says of every such cause is said better by the variation.
    return VariedLine(found.file, found.line, None if written == cause.look else written or None)


def is_computed_otherwise(found: Divergence) -> bool:
    """Whether an operation gave something else on equal inputs; else the script did something else.

    Then the number of threads was read somewhere, and a variable holds it.
    """
    return found.is_own_doing and found.op.startswith("aten.") and not found.random


@dataclass(frozen=True)
class _LineSearch:
    """Looks for the line; the attributes are the arguments of `varied_line`."""

    variation: Variation
    look: CloserLook
    pair: tuple[RunResult, RunResult]
    coarse: Divergence | None
    closer: Divergence

    def first(self, sources: Sequence[LineSource]) -> Culprit | None:
        """What the first of these ways leads to, tried one after another."""
        ways: Mapping[LineSource, Callable[[], Culprit | None]] = {
            "ledger": self._in_the_ledger,
            "allocation": self._allocation,
            "order": lambda: culprit_by_values.of_order(self._values(), self.closer),
            "variable": lambda: culprit_by_values.of_values(self._values()),
            "worker": self._of_workers,
        }
        found = (ways[source]() for source in sources)
        return next((place for place in found if place is not None), None)

    def _in_the_ledger(self) -> Culprit | None:
        code = causes.of_variation(self.variation.name).code
        evidence = gather(first_situation(self.coarse, self.closer, self._traces, self.look.pair))
        # What the first run had fixed from outside may be what was varied.
        evidence = replace(evidence, hash_seed_fixed=False)
        for hypothesis in causes.hypotheses(evidence):
            if hypothesis.code == code:
                places = culprit_in_ledger.from_ledger(hypothesis, evidence)
                if places:
                    return places[0]
        return None

    def _allocation(self) -> Culprit | None:
        closer = self.pair if self.look.pair is None else self.look.pair.runs
        for side, run in enumerate(closer):
            place = culprit_in_memory.of_allocation(self.closer, Trace.open(run.folder), side)
            if place is not None:
                return place
        return None

    def _of_workers(self) -> Culprit | None:
        """Where a worker draws, else where the loader is iterated that starts workers."""
        rows = [row for trace in self._traces for row in trace.ledger() if row.site is not None]
        drawn = [r for r in rows if r.worker >= 0 and r.event == "draw" and r.source in GENERATORS]
        started = {r.site for r in rows if r.source == "worker"}
        own = [row for row in drawn if row.site not in started]
        for row in (*own, *(row for row in rows if row.source == "worker")):
            assert row.site is not None
            return Culprit(file=row.site.file, line=row.site.line, detail=row.source)
        return None

    def _values(self) -> ValueDifferences:
        """Two more runs with everything but the varied thing pinned, and variables followed.

        They are those of the process that diverges.
        """
        process = diverging_process(self.closer)
        plain, varied = self.look.plans
        still = Surroundings()
        for pin in causes.pins():
            if pin.beside_a_variation and pin.not_applicable() is None:
                still |= pin.surroundings()
        from_step = None if self.look.pair is None else self.look.pair.from_step
        scope = up_to(self.closer, from_step=from_step)
        only = _difference(varied.surroundings, plain.surroundings)
        base = replace(scope.applied(plain), trace_values=True, acts_in=process)
        a, b = (
            replace(base, surroundings=plain.surroundings | surroundings)
            for surroundings in (still, still | only)
        )
        name = self.variation.name
        label, folder = f"{name}: values of variables", f"{name}-variables"
        runs = self.look.runner.pair(label, folder, (a, b))
        return first_value_differences(*(folder_of(run.folder, process) for run in runs))

    @property
    def _traces(self) -> tuple[Trace, Trace]:
        a, b = self.pair
        return Trace.open(a.folder), Trace.open(b.folder)


def _difference(varied: Surroundings, plain: Surroundings) -> Surroundings:
    """What the variation adds to the surroundings of the first run."""
    environment = {
        name: value
        for name, value in varied.environment.items()
        if plain.environment.get(name, "") != value
    }
    return replace(
        varied,
        environment=environment,
        hooks=tuple(hook for hook in varied.hooks if hook not in plain.hooks),
        argv=(),
    )
