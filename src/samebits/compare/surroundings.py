"""Causes that the manifests of two runs show: other surroundings, other code, other data."""

from __future__ import annotations

from dataclasses import replace

from samebits.compare.verdict import Cause, Divergence, Verdict
from samebits.environment.comparison import Comparison, Difference, compare_environments
from samebits.environment.facts import Environment, environment_of
from samebits.errors import TraceError
from samebits.trace.names import printable
from samebits.trace.reader import Trace

_NAMED = 3  # differences that a sentence lists


def environment_difference(a: Trace, b: Trace) -> Comparison | None:
    """How the environments of two runs differ; None where a manifest does not tell."""
    try:
        first, second = (_environment(trace) for trace in (a, b))
    except TraceError:
        return None
    return compare_environments(first, second)


def with_environment_cause(verdict: Verdict, a: Trace, b: Trace) -> Verdict:
    """A verdict on runs from two environments: their difference is a cause, or a note.

    Where an operation gives other bits although everything that it was given agrees, and draws no
    random number, what computed it is what differs. Anywhere else the difference is only told.
    """
    divergence = verdict.first_divergence
    comparison = environment_difference(a, b)
    if divergence is None or comparison is None or not comparison.bits_can_change:
        return verdict
    grave = [d for d in comparison.differences if d.effect != "harmless"]
    told = _told(grave)
    if not _computed_otherwise(divergence):
        note = f"the environments differ as well: {told} (samebits env diff tells more)"
        return replace(verdict, notes=(*verdict.notes, note))
    cause = Cause(
        code="environment-changed",
        detail=printable(grave[0].fact, 120),
        file=divergence.file,
        line=divergence.line,
        evidence=f"Everything agrees up to here, and the environments differ: {told}.",
        fix=printable(grave[0].remedy, 500),
        confidence="likely",
    )
    return replace(verdict, causes=(cause,))


def _computed_otherwise(divergence: Divergence) -> bool:
    return divergence.kind == "output" and not divergence.random and not divergence.data


def _told(differences: list[Difference]) -> str:
    shown = [
        f"{printable(d.fact, 120)} is {_value(d.a)} in A and {_value(d.b)} in B"
        for d in differences[:_NAMED]
    ]
    more = len(differences) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _value(value: object) -> str:
    return "not set" if value is None else printable(str(value), 80)


def _environment(trace: Trace) -> Environment:
    return environment_of(trace.manifest.environment, lambda wrong: TraceError(wrong))
