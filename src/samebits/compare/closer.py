"""Looking closer where two runs part: the operation behind a step, and the values behind it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module

from samebits.compare import artifacts
from samebits.compare.divergence import compare_traces
from samebits.compare.recordings import Order, Recordings
from samebits.compare.verdict import Divergence
from samebits.errors import RecordError
from samebits.record.launcher import RunOptions, RunResult
from samebits.trace.reader import Trace

_COMES_AND_GOES = (
    "recorded again, operation by operation, the runs did not part in this step: "
    "the difference comes and goes"
)
_ONLY_PRINTED = (
    "every operation around the first and the last such place agrees: "
    "what differs there is only printed or saved"
)


@dataclass
class CloserLook:
    """Makes further pairs of runs, recorded more finely where the first ones part.

    Attributes:
        recordings: Makes the runs.
        options: How each of the two runs was made.
        name: What the second one varies, for the names of further runs; "" when nothing.
        seen: Runs by the names of their folders, which several looks may share.
    """

    recordings: Recordings
    options: tuple[RunOptions, RunOptions]
    name: str = ""
    seen: dict[str, RunResult] = field(default_factory=dict)

    def at(self, divergence: Divergence) -> tuple[Divergence, list[str]]:
        """The divergence as an operation with its values, as far as further runs show it."""
        options = self.options
        if divergence.kind in ("step", "saved") and options[0].level == "auto":
            options = _from_step(options, divergence.step)
            closer = self._operation_in_step(divergence.step, options)
            if closer is None:
                return divergence, [_COMES_AND_GOES]
            divergence = closer
        return self._with_values(divergence, options), []

    def behind_printed_text(
        self, first: Trace, others: Sequence[Trace]
    ) -> tuple[Divergence | None, list[str]]:
        """An operation that makes printed text differ where only steps were recorded.

        What a script computes between its steps and after the last one (an evaluation, say) leaves
        no digest at level "auto"; a line that it prints differently, or a number that it saves
        differently, is the sign to look there.

        Args:
            first: The first run.
            others: The runs to compare with it.
        """
        printed = [artifacts.printed_steps(first, other) for other in others]
        steps = {step for pair in printed if pair is not None for step in pair}
        return self.behind_steps(steps.union(*(artifacts.value_steps(first, o) for o in others)))

    def behind_steps(self, steps: set[int]) -> tuple[Divergence | None, list[str]]:
        """The same for what was printed or saved when these steps were done."""
        if self.options[0].level != "auto":
            return None, []
        # Up to the first step's end every operation was recorded and agreed.
        later = sorted(steps - {0})
        for step in later[:1] + later[1:][-1:]:
            options = _from_step(self.options, step)
            closer = self._operation_in_step(step, options)
            if closer is not None:
                return self._with_values(closer, options), []
        return None, [_ONLY_PRINTED] if later else []

    def pair_in_step(self, step: int) -> tuple[RunResult, RunResult] | None:
        """The two runs whose operations in a step were recorded; None where there are none."""
        names = [f"{self.name}-closer-{step}-2" if self.name else f"closer-{step}-2"]
        found = [self.seen.get(name) for name in (f"closer-{step}-1", *names)]
        return None if None in found else (found[0], found[1])  # type: ignore[return-value]

    def _operation_in_step(
        self, step: int, options: tuple[RunOptions, RunOptions]
    ) -> Divergence | None:
        # The run ends with the step; what follows the last step runs to the script's own end.
        traces = []
        for number, one in enumerate(options, start=1):
            limit = min(step + 1, one.steps or step + 1)
            result = self._run(
                number, f"operations of step {step}", f"closer-{step}", replace(one, steps=limit)
            )
            traces.append(Trace.open(result.folder))
        return compare_traces(*traces).first_divergence

    def _with_values(
        self, divergence: Divergence, options: tuple[RunOptions, RunOptions]
    ) -> Divergence:
        """The divergence with how far the two results lie apart."""
        if divergence.kind != "output" or None in divergence.rows or options[0].level == "module":
            return divergence
        captured = []
        with ThreadPoolExecutor(1) as meanwhile:
            # It imports torch, which takes as long as a short run, and many checks never come here.
            distances = meanwhile.submit(import_module, "samebits.compare.distance")
            for number, (one, row) in enumerate(zip(options, divergence.rows, strict=True), 1):
                try:
                    folder = f"values-{one.ops_from_step or 0}-{row}"
                    result = self._run(number, "values", folder, replace(one, capture_row=row))
                except RecordError:
                    return divergence  # what was found stands, without how far apart it lies
                captured.append(result.captured)
        if captured[0] is None or captured[1] is None:
            return divergence
        distance = distances.result().output_distance(captured[0], captured[1])
        return replace(divergence, max_abs=distance.max_abs, max_ulp=distance.max_ulp)

    def _run(self, number: int, what: str, folder: str, options: RunOptions) -> RunResult:
        # The first of a pair is the same for everything that is varied.
        varied = f"{self.name}-" if self.name and number == 2 else ""
        name = f"{varied}{folder}-{number}"
        if name not in self.seen:
            label = f"{self.name}: {what}" if self.name else what
            order = Order(label=f"{label}, run {number} of 2", name=name, options=options)
            self.seen[name] = self.recordings.run(order)
        return self.seen[name]


def _from_step(options: tuple[RunOptions, RunOptions], step: int) -> tuple[RunOptions, RunOptions]:
    a, b = (replace(one, level="step", ops_from_step=step) for one in options)
    return a, b
