"""The runs that a question about a script takes: single ones, a series, and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trials.recordings import Recordings, RunRequest

TwoPlans = tuple[RunPlan, RunPlan]
"""How each run of a pair is made: what is pinned or varied around it, and how far it goes."""


@dataclass
class Runner:
    """Makes the runs of one script, one after the other, each with a label and a folder.

    Attributes:
        recordings: Makes each run.
        plan: How the script is run where a run asks for nothing else.
    """

    recordings: Recordings
    plan: RunPlan
    _pairs: dict[str, RunResult] = field(default_factory=dict, init=False)

    def run(
        self, label: str, name: str, plan: RunPlan | None = None, *, may_fail: bool = False
    ) -> RunResult:
        """One run.

        Args:
            label: What it is called while it runs.
            name: What its folder is called.
            plan: How it is run, where not as the others.
            may_fail: Whether its result says so where it could not be recorded.

        Raises:
            RecordError: It could not be started or recorded.
        """
        plan = self.plan if plan is None else plan
        request = RunRequest(label=label, name=name, plan=plan, may_fail=may_fail)
        return self.recordings.run(request)

    def series(self, count: int) -> list[RunResult]:
        """Several runs that are alike; arguments and errors as for `run`."""
        return [self.run(f"run {n} of {count}", f"run-{n}") for n in range(1, count + 1)]

    def runs(self, requests: Sequence[RunRequest], *, together: bool = False) -> list[RunResult]:
        """Several runs, each as it is asked for.

        Args:
            requests: What is asked for.
            together: Whether they may go on at the same time.

        Raises:
            RecordError: One could not be started or recorded; the others are ended.
        """
        if together and len(requests) > 1:
            return self.recordings.run_together(requests)
        return [self.recordings.run(request) for request in requests]

    def pair(
        self, label: str, names: str | tuple[str, str], plans: TwoPlans, *, once: bool = False
    ) -> tuple[RunResult, RunResult]:
        """Two runs that are compared with each other.

        Args:
            label: What both are called while they run; the number of the run is added.
            names: What their folders are called; the number of the run is added.
            plans: How each of them is run.
            once: Whether a run of the same name counts that a pair has made before.

        Raises:
            RecordError: One could not be started or recorded.
        """

        def made() -> Iterator[RunResult]:
            both = (names, names) if isinstance(names, str) else names
            for number, (begin, plan) in enumerate(zip(both, plans, strict=True), start=1):
                name = f"{begin}-{number}"
                if name not in self._pairs or not once:
                    self._pairs[name] = self.run(f"{label}, run {number} of 2", name, plan)
                yield self._pairs[name]

        first, second = made()
        return first, second
