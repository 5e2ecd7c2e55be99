"""`check`: runs a script several times, compares, and looks closer where the runs diverge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.check.agreement.findings import findings
from samebits.check.diff import artifacts
from samebits.check.diff.cuda_outlook import with_cuda_outlook
from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.diff.evident_cause import evident_cause
from samebits.check.diff.failure import failure_of
from samebits.check.diff.out_of_reach import program_it_became
from samebits.check.diff.printed_text import ignored_patterns
from samebits.check.diff.process_failures import of_failures
from samebits.check.diff.run_summary import process_notes, run_summary
from samebits.check.diff.seen import seen_before
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Cause, Divergence, NotCompared, RunSummary, Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.after_the_first import later_runs
from samebits.check.trials.attribution import explain
from samebits.check.trials.closer import CloserLook, CloserPair
from samebits.check.trials.explanation import with_explanation
from samebits.check.trials.harmless_text import PinnedPair, with_clock_and_names_pinned
from samebits.check.trials.limits import Limits
from samebits.check.trials.recordings import OnProgress, Recordings
from samebits.check.trials.runner import Runner
from samebits.check.trials.variation_request import NOTHING_VARIED, VariationRequest
from samebits.check.trials.variations import with_variations
from samebits.core.names import printable
from samebits.errors import RecordError

OnVerdict = Callable[[Verdict], None]
OnText = Callable[[Divergence], None]

_AGREES_PINNED = "with {} pinned, {} further runs printed and wrote the same"
_NOT_PINNED = (
    "whether it depends on the clock or on the names of runs cannot be determined: with these "
    "pinned, the script ends differently"
)
_UNREAD = "its bytes differ, and what it holds cannot be read"
_ALL_PINNED = "pinned in all further runs: {}"


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
    verdict = experiment.verdict(runs)
    verdict = with_variations(verdict, vary, runner=runner, results=experiment.results)
    if explain_values:
        verdict = with_explanation(verdict, runner, experiment.look)
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
        if all(_failed(result) for result in results) and _alike(results):
            return self._failure(results)
        summaries = tuple(map(_summary, results))
        first = Trace.open(results[0].folder)
        compared = [compare_traces(first, Trace.open(result.folder)) for result in results[1:]]
        later = later_runs(self.runner, results, compared[0]) if _alike(results) else None
        if later is not None:
            self.results = results = later.runs
            counted = results[1:] if later.with_the_first else results
            summaries = (summaries[0], *map(_summary, counted))
            first, compared = Trace.open(results[0].folder), later.compared
            if later.hidden is not None:
                surroundings = self.runner.plan.surroundings | later.hidden
                plan = replace(self.runner.plan, surroundings=surroundings)
                self.runner = Runner(self.runner.recordings, plan)
        diverged = next((v for v in compared if v.verdict == "different"), None)
        skipped = later is not None and not later.with_the_first
        pair = _places_in_summaries(compared, diverged, skipped=int(skipped))
        reported = [*first.manifest.notes, *process_notes(first)]
        reported += [*self._not_held(first), *_of_processes(results), *_reported(results)]
        reported += [] if later is None else [later.note]
        notes = _unique([note for verdict in compared for note in verdict.notes] + reported)
        divergence: Divergence | None
        more: list[str] = []
        pinned: PinnedPair | None = None
        unread: tuple[NotCompared, ...] = ()
        beside_operations: tuple[RunResult, RunResult] | None = None
        self.look = look = self._closer
        if diverged is None and not _alike(results):
            divergence = self._ended_differently(results)
        elif diverged is None:
            self._demand_something(results)
            others = [Trace.open(result.folder) for result in results[1:]]
            beside = (artifacts.divergence_beside(first, other) for other in others)
            differing = [(found, other) for other, found in zip(results[1:], beside, strict=True)]
            differs, second = next((pair for pair in differing if pair[0]), (None, results[1]))
            if differs is not None and self.on_text is not None:
                self.on_text(differs)
            divergence, more = look.behind_printed_text(first, others)
            shown = None
            if differs is not None and _is_shown_now_and_then(divergence, look.pair, first, others):
                shown, shown_in = divergence, look.pair
                divergence, more, look.pair = None, [], None
            if divergence is None and differs is not None:
                beside_operations = (results[0], second)
                pinned = with_clock_and_names_pinned(self.runner, *beside_operations, differs)
                divergence = differs
                if pinned is not None and pinned.result:
                    # It goes by the clock or by a name, and is more than what these are called.
                    pinned, more = None, []
                elif pinned is not None and pinned.usable:
                    divergence, beside_operations = pinned.divergence, pinned.runs
                    note = _AGREES_PINNED if divergence is None else _ALL_PINNED
                    more = [note.format(pinned.pinned, _in_words(pinned.made))]
                elif pinned is not None:
                    more, pinned = [_NOT_PINNED], None
                if divergence is not None and shown is not None:
                    # Its operations say more than the text.
                    divergence, more, look.pair = shown, [], shown_in
                    beside_operations = pinned = None
                if divergence is not None:
                    notes = _without(notes, (artifacts.notes_beside(first, o) for o in others))
            if divergence is None:
                unread, further = self._unread(results)
                more += further
        else:
            assert diverged.first_divergence is not None
            self._tell(replace(diverged, runs=summaries, compared=pair, notes=notes))
            divergence, more = look.at(diverged.first_divergence)
        made_once = () if later is None else later.not_compared
        left_out = (*made_once, *unread, *(one for v in compared for one in v.not_compared))
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
            ledger=() if diverged is None else diverged.ledger,
            ignored_output=ignored_patterns(),
            closer=() if look.pair is None else tuple(str(run.folder) for run in look.pair.runs),
            notes=_unique([*notes, *more]),
        )
        self._tell(verdict)
        if not self.limits.runs:
            return verdict
        if beside_operations is not None:
            plan = self.runner.plan if pinned is None else pinned.plan
            coarse = None if pinned is None else pinned.coarse
            return self._explained(verdict, plan, beside_operations, coarse, look, beside=True)
        coarse = None if diverged is None else diverged.first_divergence
        return self._explained(verdict, self.runner.plan, _diverging(results), coarse, look)

    def _unread(self, results: Sequence[RunResult]) -> tuple[tuple[NotCompared, ...], list[str]]:
        """Files of which nothing is known but that their bytes differ, unless by times and names.

        Returns:
            Those that were not compared, and what is to be said of the others.
        """
        first = Trace.open(results[0].folder)
        for result in results[1:]:
            other = Trace.open(result.folder)
            differing = artifacts.unread_differences(first, other)
            if not differing:
                continue
            differs = Divergence(kind="saved", step=0, phase="optimizer", op="write")
            pinned = with_clock_and_names_pinned(
                self.runner, results[0], result, differs, alike=True
            )
            if pinned is not None and pinned.usable and pinned.divergence is None:
                a, b = (Trace.open(run.folder) for run in pinned.runs)
                held, *plain = (artifacts.digests_of_written(t, "bytes") for t in (a, first, other))
                # What is as it was without being pinned may have come out so by luck.
                by_luck = [path for path in differing if held.get(path) in _of(path, plain)]
                differing = artifacts.unread_differences(a, b) or by_luck
                if not differing:
                    return (), [_AGREES_PINNED.format(pinned.pinned, _in_words(pinned.made))]
            return tuple(NotCompared("file", printable(one, 200), _UNREAD) for one in differing), []
        return (), []

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
            Runner(self.runner.recordings, plan),
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
        runs = look.pair.runs if look.pair is not None else results[:2]
        a, b = (Trace.open(run.folder) for run in runs)
        return evident_cause(divergence, seen_before(divergence, a, b))

    def _tell(self, verdict: Verdict) -> None:
        if self.on_verdict is not None:
            self.on_verdict(verdict)

    @property
    def _closer(self) -> CloserLook:
        explained = self.limits.runs > 0
        return CloserLook(self.runner, (self.runner.plan, self.runner.plan), explained=explained)

    def _ended_differently(self, results: list[RunResult]) -> Divergence:
        endings = [result.ending for result in results]
        other = next(number for number, ending in enumerate(endings) if ending != endings[0])
        detail = f"run 1 ends with {endings[0]}, run {other + 1} with {endings[other]}"
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
        notes = [*_of_processes(results), *_reported(results)]
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


def _diverging(results: Sequence[RunResult]) -> tuple[RunResult, RunResult]:
    """The first pair that diverges, however many runs were made."""
    first = Trace.open(results[0].folder)
    others = (r for r in results[1:] if first_divergence(first, Trace.open(r.folder)))
    return results[0], next(others, results[1])


def _summary(result: RunResult) -> RunSummary:
    return replace(run_summary(Trace.open(result.folder)), timed_out=result.timed_out)


def _place(divergence: Divergence) -> str:
    where = f" at {divergence.file}:{divergence.line}" if divergence.file is not None else ""
    return f"{divergence.op}{where}, step {divergence.step}"


def _failed(result: RunResult) -> bool:
    return result.timed_out or result.exit_code != 0


def _alike(results: list[RunResult]) -> bool:
    """Whether every run ended in the same way, or each failed and the timeout ended one of them.

    How a run that fails ends if it is given more time is not known.
    """
    if all(map(_failed, results)) and any(result.timed_out for result in results):
        return True
    return len({result.end for result in results}) == 1


def _of_processes(results: list[RunResult]) -> list[str]:
    """Which process failed first, and what others waited for, where one did not end well."""
    return of_failures([Trace.open(result.folder) for result in results])


def _reported(results: list[RunResult]) -> list[str]:
    """What a person should know of runs that did not end well."""
    notes = []
    for number, result in enumerate(results, start=1):
        if not _failed(result):
            continue
        if result.timed_out:
            notes.append(f"run {number} was ended by the timeout after {result.seconds:.1f} s")
        elif result.signal is not None:
            notes.append(f"run {number} was ended by signal {result.signal}")
        else:
            notes.append(f"run {number}: the script ended with exit code {result.exit_code}")
        lines = [line for line in result.stderr_tail.splitlines() if line.strip()]
        notes += lines[-8:]
    return notes


def _in_words(number: int) -> str:
    return "two" if number == 2 else str(number)


def _of(path: str, written: Iterable[Mapping[str, list[str]]]) -> list[list[str] | None]:
    return [one.get(path) for one in written]


def _without(notes: Sequence[str], others: Iterable[Iterable[str]]) -> tuple[str, ...]:
    left_out = {note for one in others for note in one}
    return tuple(note for note in notes if note not in left_out)


def _unique(notes: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))


def _is_shown_now_and_then(
    found: Divergence | None, pair: CloserPair | None, first: Trace, others: Sequence[Trace]
) -> bool:
    """Whether the operation may be for the person who looks on.

    All steps agree, in the runs that it was found in as well, and so does what is printed after
    the same step: what a script computes to show
    how far it is may go by the clock, which runs with that pinned have to confirm. It does not
    where an operation gave another result on equal inputs, nor where a file holds something else.
    """
    if found is None or found.is_own_doing or pair is None:
        return False
    a, b = (Trace.open(run.folder) for run in pair.runs)
    steps = first_step_divergence(a, b, same_level=True, open_ends=(False, False))
    if steps is not None or not artifacts.wrote_the_same(a, b):
        return False
    return all(
        artifacts.is_said_at_other_times(first, other) and artifacts.wrote_the_same(first, other)
        for other in others
    )
