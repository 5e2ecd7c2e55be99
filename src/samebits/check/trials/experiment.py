"""`check`: runs a script several times, compares, and looks closer where the runs diverge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.check.agreement.findings import findings
from samebits.check.diff.cuda_outlook import with_cuda_outlook
from samebits.check.diff.divergence import compare_traces, first_divergence, ledger_until
from samebits.check.diff.evident_cause import evident_cause
from samebits.check.diff.failure import failure_of
from samebits.check.diff.out_of_reach import program_it_became
from samebits.check.diff.printed_text import ignored_patterns, telling_results_from_times
from samebits.check.diff.run_summary import process_notes, run_summary
from samebits.check.diff.seen import seen_before
from samebits.check.diff.verdict import Cause, Divergence, NotCompared, RunSummary, Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.after_a_failure import run_that_does_not_fail
from samebits.check.trials.after_the_first import later_runs
from samebits.check.trials.attribution import explain
from samebits.check.trials.closer import CloserLook
from samebits.check.trials.endings import (
    ended_alike,
    has_failed,
    notes_of_endings,
    notes_of_processes,
)
from samebits.check.trials.explanation import with_explanation
from samebits.check.trials.limits import Limits
from samebits.check.trials.raced_runs import raced_runs
from samebits.check.trials.recordings import OnProgress, Recordings
from samebits.check.trials.runner import Runner
from samebits.check.trials.shown_by_the_clock import shown_by_the_clock
from samebits.check.trials.text_beside import OnText, TextBeside, text_beside
from samebits.check.trials.unread_files import unread_files
from samebits.check.trials.variation_request import NOTHING_VARIED, VariationRequest
from samebits.check.trials.variations import with_variations
from samebits.check.trials.whole_threads import whole_runs, with_whole_threads
from samebits.errors import RecordError

OnVerdict = Callable[[Verdict], None]


def check(
    target: Target,
    *,
    runs: int = 2,
    plan: RunPlan,
    out: Path,
    on_progress: OnProgress | None = None,
    on_verdict: OnVerdict | None = None,
    on_text: OnText | None = None,
    limits: Limits | None = None,
    reuse: bool = False,
    vary: VariationRequest = NOTHING_VARIED,
    explain_values: bool = False,
) -> Verdict:
    """Run a script several times in fresh processes and compare every run with the first.

    At level "auto" each operation is recorded up to the first optimizer step, and each step from
    there on. Where only a step tells the runs apart, two further runs record the operations of that
    step; where an operation does, two more fetch its values.

    Args:
        target: What to run.
        runs: How many runs to compare, at least 2.
        plan: How to run and what to record.
        out: Folder that the run folders are made in.
        on_progress: Called with a label ("run 1 of 2") and the progress of that run.
        on_verdict: Called with the verdict as soon as it is known: before further runs tell the
            cause, and before anything is varied.
        on_text: Called where operations agree and what the runs print or write does not, before
            further runs tell whether that goes by more than times and names.
        limits: Further runs, and time for them, at most, to tell the cause where runs diverge;
            those that are usual unless given, no runs at all to be told none.
        reuse: Whether runs that `out` holds already may count again, where they were made by the
            same command and nothing that they depend on has changed.
        vary: What to vary once the runs agree, or agree with something pinned.
        explain_values: Whether further runs keep the values behind the first divergence.

    Returns:
        The verdict: "failed" when the script failed in the same way each time.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    recordings = Recordings(target, out, on_progress, reuse=reuse)
    runner = Runner(recordings, plan)
    experiment = _Experiment(runner, limits or Limits(), on_verdict, on_text)
    with telling_results_from_times():
        verdict = experiment.verdict(runs)
        verdict = with_variations(verdict, vary, runner=runner, results=experiment.results)
        if explain_values:
            verdict = with_explanation(verdict, experiment.thorough, experiment.look)
    verdict = with_cuda_outlook(verdict)
    if verdict.verdict != "failed":
        verdict = replace(verdict, findings=findings(Trace.open(verdict.runs[0].folder)))
    if not recordings.reused:
        return verdict
    note = (
        f"{len(recordings.reused)} earlier runs were reused, because nothing that they depend on "
        "has changed (--fresh reruns them)"
    )
    return replace(verdict, notes=_unique([*verdict.notes, note]))


@dataclass
class _Experiment:
    runner: Runner
    limits: Limits
    on_verdict: OnVerdict | None
    on_text: OnText | None
    results: Sequence[RunResult] = ()
    look: CloserLook | None = None

    def verdict(self, runs: int) -> Verdict:
        self.results = results = self.runner.series(runs)
        if all(has_failed(result) for result in results) and ended_alike(results):
            return self._failure(results)
        summaries = tuple(map(_summary, results))
        first = Trace.open(results[0].folder)
        compared = [compare_traces(first, Trace.open(result.folder)) for result in results[1:]]
        if ended_alike(results):
            later = later_runs(self.runner, results, compared[0])
        else:
            later = run_that_does_not_fail(self.runner, results)
        if later is not None:
            self.results = results = later.runs
            counted = results[1:] if later.with_the_first else results
            summaries = (summaries[0], *map(_summary, counted))
            first, compared = Trace.open(results[0].folder), later.compared
            if later.hidden is not None:
                surroundings = self.runner.plan.surroundings | later.hidden
                plan = replace(self.runner.plan, surroundings=surroundings)
                self.runner = Runner(self.runner.recordings, plan)
        raced = raced_runs(self.runner, results, compared) if later is None else None
        if raced is not None:
            self.results = results = [*results, *raced.runs]
            summaries = (*summaries, *map(_summary, raced.runs))
            compared = [*compared, *raced.compared]
        diverged = next((v for v in compared if v.verdict == "different"), None)
        skipped = int(later is not None and not later.with_the_first)
        whole = None
        if diverged is not None:
            two = results[0], results[1 + compared.index(diverged)]
            whole = whole_runs(self.runner, two, diverged)
        if whole is not None:
            self.results = results = whole.runs
            skipped = len(summaries)
            summaries = (*summaries, *map(_summary, results))
            first, compared = Trace.open(results[0].folder), whole.compared
            plan = replace(self.runner.plan, thread_operations=None)
            self.runner = Runner(self.runner.recordings, plan)
            diverged = next((v for v in compared if v.verdict == "different"), None)
        self.look = look = self._closer
        shown = None
        if diverged is not None and ended_alike(results):
            shown = shown_by_the_clock(self.runner, results, diverged)
        if shown is not None:
            diverged, compared = None, list(shown.compared)
        pair = _places_in_summaries(compared, diverged, skipped=skipped)
        reported = [*first.manifest.notes, *process_notes(first)]
        reported += [
            *self._not_held(first),
            *notes_of_processes(results),
            *notes_of_endings(results),
        ]
        reported += [] if later is None else [later.note]
        reported += [] if raced is None else [raced.note]
        reported += [] if whole is None else [whole.note]
        notes = _unique([note for verdict in compared for note in verdict.notes] + reported)
        divergence: Divergence | None
        more: list[str] = []
        text: TextBeside | None = None
        unread: tuple[NotCompared, ...] = ()
        if diverged is None and not ended_alike(results):
            divergence = self._ended_differently(results)
            pair = _numbers(results, _other_ending(results), skipped)
        elif diverged is None:
            self._demand_something(results)
            if shown is None:
                text = text_beside(self.runner, results, look, self.on_text)
            else:
                text = TextBeside(None, (shown.note,))
            divergence, more = text.divergence, [*text.notes]
            if text.runs is not None and text.pinned is None:
                pair = _numbers(results, text.runs[1], skipped)
            notes = tuple(note for note in notes if note not in text.superseded)
            if divergence is None:
                unread, further = unread_files(self.runner, results)
                more += further
        else:
            assert diverged.first_divergence is not None
            self._tell(replace(diverged, runs=summaries, compared=pair, notes=notes))
            first = Trace.open(results[0].folder)
            divergence, more = look.at(diverged.first_divergence, first)
        made_once = () if later is None else later.not_compared
        came_and_went = () if whole is None else whole.not_compared
        left_out = (
            *made_once,
            *came_and_went,
            *unread,
            *(one for v in compared for one in v.not_compared),
        )
        left_out = tuple(dict.fromkeys(left_out))
        if divergence is None:
            verdict = Verdict(
                verdict="incomplete" if left_out else "same",
                runs=summaries,
                compared=pair,
                overwritten_draws=max((v.overwritten_draws for v in compared), default=0),
                not_compared=left_out,
                ignored_output=ignored_patterns(),
                notes=_unique([*notes, *more]),
            )
            self._tell(verdict)
            return verdict
        verdict = Verdict(
            verdict="different",
            runs=summaries,
            compared=pair,
            first_divergence=divergence,
            causes=(self._evident(divergence, look, results),),
            ledger=() if diverged is None else _ledger(diverged, divergence, look),
            ignored_output=ignored_patterns(),
            closer=() if look.pair is None else tuple(str(run.folder) for run in look.pair.runs),
            notes=_unique([*notes, *more]),
        )
        self._tell(verdict)
        if not self.limits.runs:
            return verdict
        if text is not None and text.runs is not None:
            plan = self.runner.plan if text.pinned is None else text.pinned.plan
            coarse = None if text.pinned is None else text.pinned.coarse
            return self._explained(verdict, plan, text.runs, coarse, look, beside=True)
        coarse = None if diverged is None else diverged.first_divergence
        return self._explained(verdict, self.runner.plan, _diverging(results), coarse, look)

    @property
    def thorough(self) -> Runner:
        """Makes runs that record whatever these may differ in."""
        plan = with_whole_threads(self.runner.plan, self.results)
        return Runner(self.runner.recordings, plan)

    def _explained(
        self,
        verdict: Verdict,
        plan: RunPlan,
        runs: tuple[RunResult, RunResult],
        coarse: Divergence | None,
        look: CloserLook,
        *,
        beside: bool = False,
    ) -> Verdict:
        """The verdict with the cause that further runs have shown."""
        assert verdict.first_divergence is not None
        found = explain(
            Runner(self.runner.recordings, with_whole_threads(plan, runs)),
            runs,
            coarse,
            verdict.first_divergence,
            look.pair,
            comes_and_goes=look.lost,
            beside=beside,
            limits=self.limits,
        )
        divergence = verdict.first_divergence
        if divergence.max_abs is None and found.distance is not None:
            divergence = replace(
                divergence, max_abs=found.distance.max_abs, max_ulp=found.distance.max_ulp
            )
        return replace(
            verdict,
            first_divergence=divergence,
            causes=found.causes,
            minimal_controls=found.controls,
            under_run=found.under_run,
            under_controls_whole=found.whole,
            observations=found.observations,
            notes=_unique([*verdict.notes, *found.notes]),
        )

    def _evident(
        self, divergence: Divergence, look: CloserLook, results: Sequence[RunResult]
    ) -> Cause:
        """What the runs show by themselves where they diverge."""
        runs = look.pair.runs if look.pair is not None else _diverging(results)
        a, b = (Trace.open(run.folder) for run in runs)
        return evident_cause(divergence, seen_before(divergence, a, b))

    def _tell(self, verdict: Verdict) -> None:
        if self.on_verdict is not None:
            self.on_verdict(verdict)

    @property
    def _closer(self) -> CloserLook:
        plan = self.thorough.plan
        return CloserLook(self.runner, (plan, plan), explained=self.limits.runs > 0)

    def _ended_differently(self, results: list[RunResult]) -> Divergence:
        other = _other_ending(results)
        number = next(number for number, run in enumerate(results, 1) if run is other)
        detail = f"run 1 ends with {results[0].ending}, run {number} with {other.ending}"
        return Divergence(kind="exit", step=0, phase="setup", op="exit", detail=detail)

    def _demand_something(self, results: list[RunResult]) -> None:
        """Two recordings of nothing are not the same: nothing was seen at all."""
        traces = [Trace.open(result.folder) for result in results]
        if all(trace.cut and trace.count_ops() == 0 for trace in traces):
            became = next(filter(None, map(program_it_became, traces)), "")
            how = f"became another program: {became}" if became else "left its own process"
            raise RecordError(
                f"nothing was recorded: the script {how}",
                hint="Where it replaces itself with os.exec, give samebits what it executes; set "
                "PYTHONHASHSEED before the check instead of inside the script.",
            )

    def _not_held(self, trace: Trace) -> list[str]:
        """Under control: the switches that did not hold at the end of a run."""
        switches = trace.manifest.switches if self.runner.plan.control else {}
        names = [name for name, reading in switches.items() if reading.get("holds") is False]
        return [f"not held at the end of the run: {', '.join(names)}"] if names else []

    def _failure(self, results: list[RunResult]) -> Verdict:
        traces = [Trace.open(result.folder) for result in results]
        notes = [*notes_of_processes(results), *notes_of_endings(results)]
        diverged = compare_traces(traces[0], traces[1]).first_divergence
        if diverged is not None:
            notes.append(f"before it failed, the runs had diverged at {_place(diverged)}")
        return Verdict(
            verdict="failed",
            runs=tuple(map(_summary, results)),
            first_divergence=diverged,
            failure=failure_of(traces[0]),
            notes=_unique(notes),
        )


def _places_in_summaries(
    compared: Sequence[Verdict], diverged: Verdict | None, *, skipped: int
) -> tuple[int, int]:
    """Which runs are run A and run B; `skipped`: how many at the beginning are not compared."""
    other = 0 if diverged is None else compared.index(diverged)
    return skipped, skipped + 1 + other


def _other_ending(results: Sequence[RunResult]) -> RunResult:
    """The first run that ends otherwise than the first one."""
    return next(run for run in results if run.ending != results[0].ending)


def _numbers(results: Sequence[RunResult], other: RunResult, skipped: int) -> tuple[int, int]:
    """Which runs are run A and run B, where the first is compared with another one."""
    number = next((number for number, run in enumerate(results) if run is other), 1)
    return skipped, skipped + number


def _diverging(results: Sequence[RunResult]) -> tuple[RunResult, RunResult]:
    """The first pair that diverges, however many runs were made."""
    first = Trace.open(results[0].folder)
    others = (r for r in results[1:] if first_divergence(first, Trace.open(r.folder)))
    return results[0], next(others, results[1])


def _ledger(
    diverged: Verdict, divergence: Divergence, look: CloserLook
) -> tuple[dict[str, object], ...]:
    """What was drawn or read differently up to where the runs diverge.

    Where one run did more than the other, of the runs of the closer look: which of two it is may be
    the other way round in each pair.
    """
    if look.pair is None or divergence.kind != "inserted":
        return diverged.ledger
    a, b = (Trace.open(run.folder) for run in look.pair.runs)
    return ledger_until(divergence, a, b)


def _summary(result: RunResult) -> RunSummary:
    return replace(run_summary(Trace.open(result.folder)), timed_out=result.timed_out)


def _place(divergence: Divergence) -> str:
    where = f" at {divergence.file}:{divergence.line}" if divergence.file is not None else ""
    return f"{divergence.op}{where}, step {divergence.step}"


def _unique(notes: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))
