"""Varying one thing at a time around a script whose runs agree, and comparing with the first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from samebits.check import causes
from samebits.check.causes.variation import Baseline, Variation
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.position import position
from samebits.check.diff.printed_text import differing_lines, step_of, untagged
from samebits.check.diff.varied_state import (
    AFTER_STEPS,
    OF_STEPS,
    printed_otherwise,
    state_divergence,
)
from samebits.check.diff.verdict import Cause, Confidence, Divergence, NotCompared, Verdict
from samebits.check.record.plain_run import run_plain
from samebits.check.record.run import Progress, RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.closer import CloserLook
from samebits.check.trials.runner import Runner
from samebits.check.trials.variation_request import VariationRequest
from samebits.check.trials.varied_line import VariedLine, is_computed_otherwise, varied_line
from samebits.check.trials.whole_threads import differ_in_left_out_threads, with_whole_threads
from samebits.core.interposition.surroundings import Surroundings
from samebits.core.names import printable
from samebits.training.control.process import ProcessControls

_ADDRESSES = "addresses"
Outcome = Literal["same", "different", "failed", "not-applicable"]


@dataclass(frozen=True, kw_only=True)
class Varied:
    """What one variation came to: an entry of the verdict's `variations`.

    Attributes:
        name: The variation, such as "threads".
        verdict: "failed" when the script ended in another way before anything else diverged.
        what: What was changed.
        first_divergence: Where the run diverges from the first one.
        cause: What is proved by it.
        meaning: What it means that the runs diverge.
        reason: Why it could not be applied, or what else there is to say.
        folder: The run folder, where a run was recorded.
    """

    name: str
    verdict: Outcome
    what: str
    first_divergence: Divergence | None = None
    cause: Cause | None = None
    meaning: str = ""
    reason: str = ""
    folder: str = ""

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        content = asdict(self)
        del content["cause"]
        return content


def with_variations(
    verdict: Verdict,
    request: VariationRequest,
    *,
    runner: Runner,
    results: Sequence[RunResult],
) -> Verdict:
    """The verdict on a script with what becomes of it when things around it vary.

    Args:
        verdict: What plain runs came to.
        request: Which variations.
        runner: Makes further runs, as the plain ones were made.
        results: The plain runs.

    Raises:
        UsageError: A variation is unknown.
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    names = request.chosen()
    if not names or verdict.verdict == "failed":
        return verdict
    plan = runner.plan
    if verdict.verdict == "different":
        if any(cause.code == "address-order" for cause in verdict.causes):
            return replace(verdict, notes=(*verdict.notes, _not_told_apart(names)))
        pinned = _held(verdict.minimal_controls)
        if pinned is None:
            return replace(verdict, notes=(*verdict.notes, _not_varied(names, verdict)))
        plan = replace(plan, surroundings=plan.surroundings | pinned)
        label = f"{' + '.join(verdict.minimal_controls)} pinned, before varying"
        results = [runner.run(label, "vary-baseline", plan)]
    # A runner of its own: pairs that the verdict took are made anew around what varies.
    found = _Varying(Runner(runner.recordings, plan), results, request).all(names)
    return _with(verdict, found)


def _held(controls: Sequence[str]) -> Surroundings | None:
    """The surroundings in which the runs agree, where they are known."""
    if not controls or not set(controls) <= set(causes.PIN_NAMES):
        return None
    pinned = Surroundings()
    for name in controls:
        pinned |= causes.pin(name).surroundings()
    return pinned


def _not_told_apart(names: Sequence[str]) -> str:
    return (
        f"not varied: {', '.join(names)}; an order depends on memory addresses, and every "
        "variation changes those too: fix that first"
    )


def _not_varied(names: Sequence[str], verdict: Verdict) -> str:
    why = "no controls are known under which they agree"
    if verdict.minimal_controls:
        why = f"{', '.join(verdict.minimal_controls)} cannot be pinned around a variation"
    return f"not varied: {', '.join(names)}; the runs diverge as they are, and {why}"


def _with(verdict: Verdict, found: Sequence[Varied]) -> Verdict:
    diverged = [one for one in found if one.verdict in ("different", "failed")]
    entries = tuple(one.to_json() for one in found)
    if found and all(one.verdict == "not-applicable" for one in found):
        names = ", ".join(one.name for one in found)
        note = f"nothing was varied: what was asked for ({names}) is not applicable"
        verdict = replace(verdict, notes=(*verdict.notes, note))
    if not diverged:
        return replace(verdict, variations=entries)
    return replace(
        verdict,
        verdict="different",
        first_divergence=verdict.first_divergence or diverged[0].first_divergence,
        causes=(*verdict.causes, *(one.cause for one in diverged if one.cause is not None)),
        variations=entries,
    )


def _undecided(one: Varied) -> Varied:
    return replace(
        one,
        verdict="not-applicable",
        first_divergence=None,
        cause=None,
        meaning="",
        reason=(
            "inconclusive: the runs diverge no earlier than when addresses alone are varied, and "
            "this variation also moves objects"
        ),
    )


def _is_no_earlier(one: Varied, other: Varied) -> bool:
    assert other.first_divergence is not None
    if one.first_divergence is None:
        return False
    return position(one.first_divergence) >= position(other.first_divergence)


@dataclass
class _Varying:
    runner: Runner
    results: Sequence[RunResult]
    request: VariationRequest

    def all(self, names: Sequence[str]) -> list[Varied]:
        found = []
        for name in names:
            variation = causes.variation(name)
            reason = variation.not_applicable(self._circumstances)
            if reason is not None:
                found.append(self._entry(variation, name, "not-applicable", reason=reason))
                continue
            for label, surroundings in variation.variants(self._circumstances).items():
                found.append(self._one(variation, label, surroundings))
        return self._without_what_addresses_explain(found)

    def _without_what_addresses_explain(self, found: list[Varied]) -> list[Varied]:
        """The findings, where an order that goes by addresses is not blamed on anything else.

        Whatever is varied changes what is allocated, and so moves objects. Where a run parts, one
        that only moves them tells whether that was all.
        """
        diverged = {one.name for one in found if one.verdict == "different"} - {_ADDRESSES}
        if not diverged or causes.variation(_ADDRESSES).not_applicable(self._circumstances):
            return found
        alone = next((one for one in found if one.name == _ADDRESSES), None)
        if alone is None:
            variation = causes.variation(_ADDRESSES)
            alone = self._one(variation, _ADDRESSES, variation.surroundings(self._circumstances))
            if alone.verdict == "same":
                return found
            found = [*found, alone]
        if alone.first_divergence is None:
            return found
        return [
            _undecided(one) if one.name in diverged and _is_no_earlier(one, alone) else one
            for one in found
        ]

    @property
    def _circumstances(self) -> Baseline:
        environment = dict(os.environ)
        plan = self.runner.plan
        if plan.control:
            environment = ProcessControls(threads=plan.threads).environment(environment)
        return Baseline(
            environment=plan.surroundings.applied_environment(environment),
            arguments=self.runner.recordings.target.args,
            controlled=plan.control or bool(plan.surroundings.hooks),
            stopped=plan.steps is not None,
            batch_flag=self.request.batch_flag,
        )

    def _one(self, variation: Variation, label: str, surroundings: Surroundings) -> Varied:
        if variation.compares == "output":
            return self._unrecorded(variation, label)
        plain = self.runner.plan
        varied = replace(plain, surroundings=plain.surroundings | surroundings)
        result = self.runner.run(f"varying {label}", f"vary-{label}", varied)
        first, other = (Trace.open(r.folder) for r in (self.results[0], result))
        closely = [with_whole_threads(one, (self.results[0], result)) for one in (plain, varied)]
        look = CloserLook(self.runner, (closely[0], closely[1]), name=label)
        folder = str(result.folder)
        repeated = Trace.open(self.results[1].folder) if len(self.results) > 1 else None
        coarse: Divergence | None
        unclear: NotCompared | None = None
        if variation.compares == "steps":
            coarse = closer = state_divergence(first, other, repeated, AFTER_STEPS)
        else:
            compared = compare_traces(first, other)
            if differ_in_left_out_threads((self.results[0], result), compared):
                label_of_pair = f"varying {label}, with all of each thread"
                pair = self.runner.pair(
                    label_of_pair, ("vary-whole", f"vary-{label}-whole"), look.plans, once=True
                )
                first, other = (Trace.open(run.folder) for run in pair)
                compared = compare_traces(first, other)
            coarse = compared.first_divergence
            unclear = next((one for one in compared.not_compared if one.what == "draw"), None)
            moved = coarse is not None and coarse.kind == "inserted"
            if moved and variation.compares == "results":
                # A closer look would show the operations that have moved, and no more.
                coarse = closer = state_divergence(first, other, repeated, OF_STEPS)
            elif coarse is not None and coarse.kind != "exit":
                closer = look.at(coarse)[0]
            else:
                closer = coarse or look.behind_steps(self._steps_printed_differently(other))[0]
        if closer is None or closer.kind in ("exit", "printed"):
            ended = self._ended_differently(variation, label, result, folder)
            if ended is not None:
                return ended
        if closer is None:
            idle = variation.idle or ""
            if variation.hook is None or result.acted.get(variation.hook, 0):
                idle = ""
            if unclear is not None:
                idle = f"{unclear.name} differ under it: whether they reach a result is not known"
            outcome: Outcome = "not-applicable" if idle else "same"
            return self._entry(variation, label, outcome, reason=idle, folder=folder)
        pair = (self.results[0], result)
        if variation.compares == "steps":
            line = VariedLine(closer.file, closer.line, None)
        else:
            line = varied_line(variation, look, pair, coarse, closer)
        cause = _cause(variation, label, closer, line.file, line.line, line.fix)
        return self._entry(
            variation, label, "different", divergence=closer, cause=cause, folder=folder
        )

    def _ended_differently(
        self, variation: Variation, label: str, result: RunResult, folder: str
    ) -> Varied | None:
        first = self.results[0]
        if result.end == first.end:
            return None
        how = "its time being up" if result.timed_out else f"exit code {result.exit_code}"
        if result.signal:
            how = f"signal {result.signal}"
        detail = f"the script ends with {how} under it"
        lines = [line for line in result.stderr_tail.splitlines() if line.strip()]
        found = Divergence(kind="exit", step=0, phase="setup", op="exit", detail=detail)
        return self._entry(
            variation,
            label,
            "failed",
            divergence=found,
            cause=_cause(variation, label, found, None, None, None),
            reason=printable(lines[-1], 300) if lines else "",
            folder=folder,
        )

    def _steps_printed_differently(self, other: Trace) -> set[int]:
        """Steps after which a line was printed that differs, and repeats itself otherwise."""
        texts = [Trace.open(r.folder).output().split("\n") for r in self.results[:2]]
        lines = other.output().split("\n")
        repeated = untagged(texts[1]) if len(texts) > 1 else None
        differing = differing_lines(untagged(texts[0]), untagged(lines), repeated)
        return {step_of(texts[0][n]) for n in differing if n < min(len(texts[0]), len(lines))}

    def _unrecorded(self, variation: Variation, label: str) -> Varied:
        def progress(now: Progress) -> None:
            if recordings.on_progress is not None:
                recordings.on_progress(f"varying {label}", now)

        recordings, plan = self.runner.recordings, self.runner.plan
        result = run_plain(
            recordings.target,
            plan.surroundings,
            timeout=plan.timeout,
            on_progress=progress,
        )
        first = self.results[0]
        code = -first.signal if first.signal is not None else first.exit_code
        if result.timed_out or result.exit_code != code:
            how = "its time being up" if result.timed_out else f"exit code {result.exit_code}"
            detail = f"not recorded, the script ends with {how}; recorded, with exit code {code}"
            found = Divergence(kind="exit", step=0, phase="setup", op="exit", detail=detail)
        else:
            otherwise = self._printed_otherwise(result.stdout)
            if otherwise is None:
                return self._entry(variation, label, "same")
            found = otherwise
        cause = _cause(variation, label, found, None, None, None, confidence="likely")
        return self._entry(variation, label, "different", divergence=found, cause=cause)

    def _printed_otherwise(self, plain: bytes) -> Divergence | None:
        first, *more = (Trace.open(result.folder) for result in self.results[:2])
        printed = plain.decode("utf-8", "replace").replace("\r\n", "\n")
        recorded = first.output()
        if first.manifest.stdout.get("truncated"):
            printed = "\n".join(printed.split("\n")[: recorded.count("\n")])
        repeated = more[0].output() if more else None
        return printed_otherwise(recorded, printed, repeated, ("when recorded", "when not"))

    def _entry(
        self,
        variation: Variation,
        label: str,
        verdict: Outcome,
        *,
        divergence: Divergence | None = None,
        cause: Cause | None = None,
        reason: str = "",
        folder: str = "",
    ) -> Varied:
        return Varied(
            name=label,
            verdict=verdict,
            what=variation.what,
            first_divergence=divergence,
            cause=cause,
            meaning=_meaning(variation, divergence) if divergence is not None else "",
            reason=reason,
            folder=folder,
        )


def _meaning(variation: Variation, found: Divergence) -> str:
    """What the difference means, as far as it shows: how an operation computes, or what is done."""
    if is_computed_otherwise(found):
        return variation.meaning
    return variation.meaning_elsewhere or variation.meaning


def _cause(
    variation: Variation,
    label: str,
    found: Divergence,
    file: str | None,
    line: int | None,
    fix: str | None,
    *,
    confidence: Confidence = "proved",
) -> Cause:
    place = f" at {found.op}" if found.op not in ("exit", "print") else ""
    return Cause(
        code=causes.of_variation(variation.name).code,
        detail=label,
        file=file,
        line=line,
        evidence=f"With {variation.what}, and nothing else changed, the run diverges from the "
        f"first one{place}: {_meaning(variation, found)}.",
        fix=fix or variation.fix,
        confidence=confidence,
    )
