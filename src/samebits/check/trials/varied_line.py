"""The line of the script to blame when a variation makes it part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.variation import Variation
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.check.diff.values import first_value_differences
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS, Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution import culprit as culprits
from samebits.check.trials.attribution.gathering import gather
from samebits.check.trials.attribution.scope import up_to
from samebits.check.trials.attribution.situation import first_situation
from samebits.check.trials.closer import CloserLook
from samebits.core.interposition.surroundings import Surroundings
from samebits.errors import SamebitsError

_STILL = ("hash-seed", "addresses", "seeds", "listing", "clock", "entropy")

_BY_A_NUMBER_OF_ITS_OWN = (
    "Split the work by a number that the script itself sets, not by the number of threads or "
    "processors."
)


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

    It is the line of the ledger for listings, clocks and workers, that of the allocation for
    memory, the first one after which a variable differs for hashes and addresses, else the line of
    the operation that parts.

    Args:
        variation: What was varied.
        look: What has looked closer at the two runs; its runner makes further ones.
        pair: The first run, and the one that was varied.
        coarse: Where they diverge; None where only a closer look has shown it.
        closer: The operation behind that, or the same.
    """
    cause = causes.of_variation(variation.name)
    try:
        found = _found(variation, look, pair, coarse, closer)
    except SamebitsError:
        found = None  # the operation's own line is right, if not the best
    written = None if found is None else fix(cause.code, found, frozenset())
    if found is not None and cause.code == "thread-count" and found.variable:
        written = _BY_A_NUMBER_OF_ITS_OWN
    found = found or culprits.of_divergence(closer)
    # What the catalog says of every such cause is said better by the variation.
    return VariedLine(found.file, found.line, None if written == cause.look else written or None)


def _found(
    variation: Variation,
    look: CloserLook,
    pair: tuple[RunResult, RunResult],
    coarse: Divergence | None,
    closer: Divergence,
) -> Culprit | None:
    cause = causes.of_variation(variation.name)
    if cause.code in causes.ORDERS or (
        cause.code == "thread-count" and not is_computed_otherwise(closer)
    ):
        return _by_values(variation, look, closer)
    a, b = (Trace.open(run.folder) for run in pair)
    closer_pair = pair if look.pair is None else look.pair.runs
    c, d = (Trace.open(run.folder) for run in closer_pair)
    if cause.code == "uninitialized-memory":
        for side, trace in enumerate((c, d)):
            place = culprits.of_allocation(closer, trace, side)
            if place is not None:
                return place
        # NumPy's memory is not recorded where it is made; a variable that holds it is.
        return _by_values(variation, look, closer)
    traces = (a, b)
    evidence = gather(first_situation(coarse, closer, traces, look.pair))
    for hypothesis in causes.hypotheses(evidence):
        if hypothesis.code == cause.code:
            places = culprits.from_ledger(hypothesis, evidence)
            if places:
                return places[0]
    return _of_workers(traces) if cause.code == "worker-rng" else None


def is_computed_otherwise(found: Divergence) -> bool:
    """Whether an operation gave something else on equal inputs; else the script did something else.

    Then the number of threads was read somewhere, and a variable holds it.
    """
    unequal = found.data or found.random or found.detail in (UNEXPLAINED_INPUTS, PLAIN_ARGUMENTS)
    return found.kind == "output" and found.op.startswith("aten.") and not unequal


def _of_workers(traces: tuple[Trace, Trace]) -> Culprit | None:
    """Where a worker draws, else where the loader is iterated that starts workers."""
    rows = [row for trace in traces for row in trace.ledger() if row.site is not None]
    drawn = [r for r in rows if r.worker >= 0 and r.event == "draw" and r.source in GENERATORS]
    started = {r.site for r in rows if r.source == "worker"}
    own = [row for row in drawn if row.site not in started]
    for row in (*own, *(row for row in rows if row.source == "worker")):
        assert row.site is not None
        return Culprit(file=row.site.file, line=row.site.line, detail=row.source)
    return None


def _by_values(variation: Variation, look: CloserLook, closer: Divergence) -> Culprit | None:
    """Two more runs with everything but the varied thing pinned, and variables followed."""
    plain, varied = look.plans
    still = Surroundings()
    for name in _STILL:
        pin = causes.pin(name)
        if pin.not_applicable() is None:
            still |= pin.surroundings()
    scope = up_to(closer, from_step=None if look.pair is None else look.pair.from_step)
    only = _difference(varied.surroundings, plain.surroundings)
    base = replace(scope.applied(plain), trace_values=True)
    a, b = (
        replace(base, surroundings=plain.surroundings | surroundings)
        for surroundings in (still, still | only)
    )
    label, name = f"{variation.name}: values of variables", f"{variation.name}-variables"
    runs = look.runner.pair(label, name, (a, b))
    values = first_value_differences(*(run.folder for run in runs))
    if causes.of_variation(variation.name).code in causes.ORDERS:
        return culprits.of_order(values, closer)
    return culprits.of_values(values)


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
