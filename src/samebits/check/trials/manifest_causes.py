"""Causes that the manifests of two runs show: other code, other surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.check.diff.correspondence import Correspondence, correspondence
from samebits.check.diff.verdict import Cause, Divergence, Verdict
from samebits.check.trace.reader import Trace
from samebits.check.trials.other_seed import with_other_seed
from samebits.check.trials.source_on_the_line import with_source_on_the_line
from samebits.core.names import printable
from samebits.environment.comparison import Comparison, FactDifference, compare_environments
from samebits.environment.facts import Environment, environment_of
from samebits.errors import TraceError

_NAMED = 3  # differences that a sentence lists


def environment_difference(a: Trace, b: Trace) -> Comparison | None:
    """How the environments of two runs differ; None where a manifest does not tell."""
    try:
        first, second = (_environment(trace) for trace in (a, b))
    except TraceError:
        return None
    return compare_environments(first, second)


def with_cause_from_manifests(verdict: Verdict, a: Trace, b: Trace) -> Verdict:
    """A verdict on runs from elsewhere: what their manifests show as a cause, or as a note.

    Other code in the file that the first divergence lies in comes first: whatever it did, it was
    told to. Then, where an operation gives other bits although everything that it was given agrees
    and draws no random number, the surroundings that computed it. Anywhere else such differences
    are only told. Of a generator that drew other numbers the ledgers tell whether it was seeded,
    and of a line that nothing else explains, whether it has read a clock, say.
    """
    divergence = verdict.first_divergence
    if divergence is None:
        return verdict
    notes = [*verdict.notes, *_other_arguments(a, b)]
    cause = _code_cause(divergence, correspondence(a, b))
    comparison = environment_difference(a, b)
    if comparison is not None and comparison.bits_can_change:
        grave = [d for d in comparison.differences if d.effect != "harmless"]
        if cause is None and _computed_otherwise(divergence):
            cause = _environment_cause(divergence, grave)
        else:
            told = _told(grave)
            notes.append(f"the environments differ as well: {told} (samebits env diff tells more)")
    causes = (cause,) if cause is not None else _by_seeds(verdict, divergence, a, b)
    return replace(verdict, causes=causes, notes=tuple(notes))


def _by_seeds(verdict: Verdict, found: Divergence, a: Trace, b: Trace) -> tuple[Cause, ...]:
    seeded = (with_other_seed(cause, found, a, b) for cause in verdict.causes)
    return tuple(with_source_on_the_line(cause, found, a, b) for cause in seeded)


def _code_cause(divergence: Divergence, files: Correspondence) -> Cause | None:
    edited = None if divergence.file is None else files.edited_at(divergence.file)
    if edited is None:
        return None
    name = printable(edited.name, 200)
    evidence = f"{name} differs between the two runs, and the first difference lies in it."
    advice = f"Compare the two versions of {name}; record both runs with one of them."
    if edited.is_renamed:
        evidence = f"The runs are of two different files: {name}; the first difference lies there."
        advice = "Record both runs with the same file, or compare runs of one of them."
    return Cause(
        code="code-changed",
        detail=name,
        file=divergence.file,
        line=divergence.line,
        evidence=evidence,
        fix=advice,
        confidence="likely",
    )


def _environment_cause(divergence: Divergence, grave: Sequence[FactDifference]) -> Cause:
    return Cause(
        code="environment-changed",
        detail=printable(grave[0].fact, 120),
        file=divergence.file,
        line=divergence.line,
        evidence=f"Everything agrees up to this point; the environments differ: {_told(grave)}.",
        fix=printable(grave[0].remedy, 500),
        confidence="likely",
    )


def _other_arguments(a: Trace, b: Trace) -> list[str]:
    """A note where the scripts were given other arguments."""
    first, second = (list(trace.manifest.argv[1:]) for trace in (a, b))
    if first == second or not (a.manifest.argv and b.manifest.argv):
        return []
    shown = (printable(" ".join(map(str, words)), 200) or "none" for words in (first, second))
    return ["the script's arguments differ: {} in A, {} in B".format(*shown)]


def _computed_otherwise(divergence: Divergence) -> bool:
    return divergence.kind == "output" and not divergence.random and not divergence.data


def _told(differences: Sequence[FactDifference]) -> str:
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
