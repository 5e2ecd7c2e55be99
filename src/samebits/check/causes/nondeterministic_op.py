"""An operation that gives other bits on the same inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.thread_count import limited_to
from samebits.core.interposition.surroundings import Surroundings
from samebits.core.source.statement import Statement


class DeterministicAlgorithmsPin(Pin):
    """torch uses its deterministic implementation of each operation that has one."""

    name: ClassVar[str] = "deterministic-algorithms"
    what: ClassVar[str] = "torch.use_deterministic_algorithms(True) and the switches around it"
    hook: ClassVar[str | None] = "deterministic-algorithms"
    by_run: ClassVar[bool] = True
    changes_results: ClassVar[bool] = True
    comes_and_goes: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True

    def pinned(self) -> Surroundings:
        """What cuBLAS reads when it starts."""
        return Surroundings(environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"})


class ThreadsPin(Pin):
    """Operations run on one thread, whatever the script asks for."""

    name: ClassVar[str] = "threads"
    what: ClassVar[str] = "every operation on one thread"
    hook: ClassVar[str | None] = "threads"
    changes_results: ClassVar[bool] = True
    comes_and_goes: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True

    def pinned(self) -> Surroundings:
        """One thread for each library that reads a variable."""
        return Surroundings(environment=limited_to(1))


class NondeterministicOp(KnownCause):
    """A form of an operation that does not repeat: only what is computed can show that."""

    code: ClassVar[str] = "nondeterministic-op"
    meaning: ClassVar[str] = (
        "An operation gave different bits on the same inputs in the same environment."
    )
    look: ClassVar[str] = "samebits explain NAME says what to write in place of the operation."
    pins: ClassVar[tuple[Pin, ...]] = (DeterministicAlgorithmsPin(), ThreadsPin())

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Likeliest where the operation got equal inputs."""
        if evidence.found.kind not in ("output", "step", "saved"):
            return
        alone = evidence.is_on_equal_inputs
        for pin in self.pins:
            yield Hypothesis(
                pin=pin.name,
                code=self.code,
                detail=evidence.found.op if alone else "",
                standing=Standing.POSSIBLE if alone else Standing.FAINT,
            )

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """The switch under which it repeats, where there is one."""
        if "deterministic-algorithms" in pinned:
            return "torch.use_deterministic_algorithms(True)  # at the start of the script"
        if "threads" in pinned:
            return "torch.set_num_threads(1)  # or write the operation so that its order is fixed"
        return (
            f"Write the operation so that it adds in a fixed order; samebits explain "
            f"{culprit.detail} says what is known about it."
        )
