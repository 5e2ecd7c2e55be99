"""`check --kill-at-step`: does a run that was killed and resumed end as one that was not?

Three runs: straight to the end; killed by SIGKILL when N optimizer steps are done; resumed from
what the killed one left. The resumed run's first step is one of the straight run's steps, at or
before N; from there on every step's digests must agree, and in the end what both have saved.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from samebits.check.diff import written_files
from samebits.check.diff.failure import failure_of
from samebits.check.diff.processes import unrecorded_processes
from samebits.check.diff.resume_cause import (
    began_anew,
    printed_cause,
    resume_cause,
    saved_cause,
)
from samebits.check.diff.resumed_output import printed_divergence
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Cause, Divergence, RunSummary, Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.recordings import OnProgress, Recordings
from samebits.check.trials.resumed_ranks import compare_resumed_ranks, most_steps, was_killed
from samebits.check.trials.resumed_steps import first_common_step, first_difference
from samebits.check.trials.runner import Runner
from samebits.check.trials.written_files import (
    MAX_FILES,
    FolderState,
    SetAside,
    unwinding_on_signals,
)
from samebits.core.names import printable
from samebits.errors import UsageError

_Again = Callable[[RunPlan], RunResult]

_STATES_RETAINED = 64


def prove_resume(
    target: Target,
    resume: Target,
    *,
    kill_at_step: int,
    kill_rank: int | None = None,
    plan: RunPlan,
    out: Path,
    on_progress: OnProgress | None = None,
) -> Verdict:
    """Run a script straight, then killed and resumed, and compare from the resumed step on.

    Files that the straight run was seen to make below the working folder are moved into `out`, so
    that the killed one does not find its checkpoints; those of the killed and the resumed run stay.
    What is moved is listed there first, in moved-files.jsonl. Nothing else is moved.

    Args:
        target: The script.
        resume: What resumes it; the same command where the script resumes by itself.
        kill_at_step: After how many optimizer steps to kill it.
        kill_rank: The rank to kill alone; None for all processes of the run.
        plan: How to run and what to record.
        out: Folder that the run folders are made in.
        on_progress: Called with a label and the progress of that run.

    Returns:
        The verdict; a difference has the cause `resume-state`, with what was not restored.

    Raises:
        RecordError: A run could not be started or recorded.
        UsageError: The script ends before that step, or the working folder holds too many files to
            tell which are new.
    """
    plan = replace(plan, note_made_files=True)
    straight, resuming = (
        Runner(Recordings(command, out, on_progress), plan) for command in (target, resume)
    )
    proof = _Proof(straight, resuming, kill_at_step, kill_rank, out)
    with unwinding_on_signals():
        return proof.verdict()


@dataclass
class _Proof:
    straight: Runner
    resuming: Runner
    kill_at_step: int
    kill_rank: int | None
    out: Path
    left_aside: list[str] = field(default_factory=list)

    def verdict(self) -> Verdict:
        before = FolderState.take(Path.cwd(), self.out)
        if not before.complete:
            raise UsageError(
                f"the working folder holds more than {MAX_FILES:,} files; which of them a run "
                "makes cannot be told, and its checkpoints have to be moved away",
                hint="start in another folder, one that is empty, and give the script's path",
            )
        straight = self.straight.run("straight: run 1 of 3", "straight")
        if straight.exit_code != 0:
            return self._failed([straight], "the script fails by itself, without any kill")
        self._demand_steps(straight)
        notes = self._set_aside(straight, before)
        killed = self.straight.run(
            f"killed at step {self.kill_at_step}: run 2 of 3",
            "killed",
            replace(self.straight.plan, kill_at_step=self.kill_at_step, kill_rank=self.kill_rank),
        )
        if not was_killed(killed, self.kill_rank):
            who = "it" if self.kill_rank is None else f"rank {self.kill_rank}"
            return self._failed(
                [straight, killed],
                f"the second run ended before step {self.kill_at_step}, where {who} was to be "
                "killed",
            )
        left = FolderState.take(before.root, self.out)
        if not (left.appeared(before, ()) or left.changed_since(before)):
            notes.append("the killed run left no files in the working folder")
        resumed = self.resuming.run(
            "resumed: run 3 of 3",
            "resumed",
            replace(self.resuming.plan, state_steps=(0, _STATES_RETAINED)),
        )
        if resumed.exit_code != 0:
            return self._failed([straight, killed, resumed], "the resumed run fails")
        return self._compared(straight, killed, resumed, before, notes)

    def _demand_steps(self, straight: RunResult) -> None:
        steps = most_steps(Trace.open(straight.folder))
        if steps <= self.kill_at_step:
            hint = (
                f"give --kill-at-step a number from 1 to {steps - 1}"
                if steps > 1
                else "the script has to take at least two steps to be killed between them"
            )
            raise UsageError(
                f"the script takes {steps} optimizer steps; killed at step {self.kill_at_step} "
                "it would have nothing left to do",
                hint=f"{hint}; a script that found an earlier run's checkpoints has gone on from "
                "them: start in a folder without any",
            )

    def _set_aside(self, straight: RunResult, before: FolderState) -> list[str]:
        """Move what the straight run made out of the way; notes on what could not be helped."""
        own = before.own(straight.made)
        SetAside(before.root, self.out, "files-of-straight").take(own)
        after = FolderState.take(before.root, self.out)
        notes = []
        for paths, what in (
            (
                after.changed_since(before),
                "files that were there before have changed during the straight run ({}): if they "
                "decide where a run begins, start from a folder without them",
            ),
            (
                after.appeared(before, own),
                "files appeared during the straight run that it was not seen to make, and stay "
                "where they are ({}): if they decide where a run begins, the killed run found them",
            ),
        ):
            if paths:
                shown = [printable(os.path.relpath(path, before.root), 80) for path in paths[:3]]
                notes.append(what.format(", ".join(shown)))
        return notes

    def _compared(
        self,
        straight: RunResult,
        killed: RunResult,
        resumed: RunResult,
        before: FolderState,
        notes: list[str],
    ) -> Verdict:
        traces = [Trace.open(result.folder) for result in (straight, killed, resumed)]
        runs = tuple(map(_summary, traces))
        if runs[0].steps == 0:
            return compare_resumed_ranks(traces, runs, self.kill_at_step, notes)
        diverged = first_step_divergence(
            traces[0], traces[1], same_level=True, open_ends=(False, True)
        )
        if diverged is not None:
            found = replace(diverged, detail=f"{diverged.detail}; nothing had been killed yet")
            note = (
                "two straight runs of this script differ already: run `samebits check` on it, and "
                "look for checkpoints outside of the working folder that the second one found"
            )
            return Verdict(
                verdict="different", runs=runs, first_divergence=found, notes=(*notes, note)
            )
        begin = first_common_step(traces[0], traces[2], self.kill_at_step)
        total, taken = runs[0].steps, runs[2].steps
        divergence = first_difference(traces[0], traces[2], begin)
        made = (*killed.made, *resumed.made)
        again = functools.partial(self._straight_again, before, made)
        if divergence is None:
            agree = (
                f"killed at step {self.kill_at_step}, resumed at step {begin}: "
                f"all {taken} steps from there to the end agree"
            )
            return self._ends_compared(traces, runs, [agree, *notes], begin, again)
        notes.insert(
            0,
            f"killed at step {self.kill_at_step}, resumed at step {begin} of {total}; "
            f"the resumed run took {taken} steps",
        )
        states = self._states(divergence.step, begin, resumed, again)
        notes += self._lost_places()
        cause = resume_cause(divergence, traces[0], traces[2], begin, states)
        return _different(runs, divergence, cause, notes)

    def _ends_compared(
        self,
        traces: Sequence[Trace],
        runs: tuple[RunSummary, ...],
        notes: list[str],
        begin: int,
        again: _Again,
    ) -> Verdict:
        """The verdict where every step agrees: what was saved at the end and printed decides."""
        straight, killed, resumed = traces
        if begin == 0:
            found, cause = began_anew(resumed, runs[2].steps)
            return _different(runs, found, cause, notes[1:])
        divergence = written_files.last_saved_divergence(straight, resumed, "tensors", begin)
        if divergence is not None:
            return _different(runs, divergence, saved_cause(divergence), notes)
        for kind in written_files.WRITTEN_BESIDE:
            other = written_files.last_saved_divergence(straight, resumed, kind, begin)
            if other is not None:
                notes.append(f"{other.detail}, in the straight run (A) and the resumed one (B)")

        def repeated() -> Trace:
            return Trace.open(again(self.straight.plan).folder)

        printed, more = printed_divergence(straight, killed, resumed, begin, repeated)
        notes += [*more, *self._lost_places()]
        if printed is not None:
            return _different(runs, printed, printed_cause(printed), notes)
        left_out = unrecorded_processes(straight, resumed)
        return Verdict(
            verdict="incomplete" if left_out else "same",
            runs=runs,
            not_compared=left_out,
            notes=tuple(notes),
        )

    def _lost_places(self) -> list[str]:
        """A note on files that could not go back to where they lay."""
        lost = ", ".join(printable(path, 200) for path in self.left_aside)
        return [f"could not be put back, and lie there: {lost}"] if lost else []

    def _states(
        self, step: int, begin: int, resumed: RunResult, again: _Again
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Every entry of the state as that step begins, in a straight run and in the resumed one.

        Where the runs diverge in a later step than the resumed run's first, the first tells more: a
        scheduler that was not restored shows when it is next asked.
        """
        theirs = resumed.states.get(step - begin, {})
        if not theirs:
            return {}, {}
        plan = replace(self.straight.plan, state_steps=(step, 1), steps=step + 1)
        return again(plan).states.get(step, {}), theirs

    def _straight_again(
        self, before: FolderState, made: Sequence[Sequence[Any]], plan: RunPlan
    ) -> RunResult:
        """A further straight run, that finds nothing of what the earlier ones made."""
        others = SetAside(before.root, self.out, "files-of-resumed")
        own = SetAside(before.root, self.out, "files-of-closer")
        try:
            others.take(before.own(made))
            result = self.straight.run("straight, looked at closely: run 1 of 1", "closer", plan)
            own.take(before.own(result.made))
        finally:
            self.left_aside += others.put_back()
        return result

    def _failed(self, results: list[RunResult], what: str) -> Verdict:
        notes = [what]
        lines = [line for line in results[-1].stderr_tail.splitlines() if line.strip()]
        notes += lines[-8:]
        traces = [Trace.open(result.folder) for result in results]
        return Verdict(
            verdict="failed",
            runs=tuple(map(_summary, traces)),
            failure=failure_of(traces[-1]),
            notes=tuple(notes),
        )


def _different(
    runs: tuple[RunSummary, ...], divergence: Divergence, cause: Cause, notes: Sequence[str]
) -> Verdict:
    return Verdict(
        verdict="different",
        runs=runs,
        first_divergence=divergence,
        causes=(cause,),
        notes=tuple(notes),
    )


def _summary(trace: Trace) -> RunSummary:
    # The killed run was flushed right before the kill: nothing of it is cut off.
    return replace(run_summary(trace), level="step", complete=True)
