"""The vector instructions of the processor."""

from __future__ import annotations

import platform
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.variation import Baseline, Variation
from samebits.core.interposition.surroundings import Surroundings

_PLAINEST = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
}


class IsaVariation(Variation):
    """Libraries take the plainest vector instructions, as they would on an older processor."""

    name: ClassVar[str] = "isa"
    what: ClassVar[str] = "the vector instructions of an older processor"
    meaning: ClassVar[str] = (
        "other vector instructions round differently, in sums and products and in the numbers that "
        "a generator draws; nearly every script with floating point depends on them"
    )
    fix: ClassVar[str] = (
        "Compare on processors of one kind, or set ATEN_CPU_CAPABILITY and ONEDNN_MAX_CPU_ISA to "
        "what all of them have; samebits run --exact computes the same bits on all of them."
    )

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """Torch and its libraries can be told on x86-64 alone."""
        machine = platform.machine()
        if machine.lower() not in ("x86_64", "amd64"):
            return f"torch's libraries cannot be told which instructions to use on {machine}"
        given = circumstances.environment
        if all(given.get(name, "").lower() == value.lower() for name, value in _PLAINEST.items()):
            return "the run itself uses the plainest instructions already"
        return None

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """The plainest instructions in torch, oneDNN, MKL, and exact arithmetic where it runs."""
        own = {"SAMEBITS_ISA": "plain"} if circumstances.environment.get("SAMEBITS_EXACT") else {}
        return Surroundings(environment={**_PLAINEST, **own})


class InstructionSet(KnownCause):
    """Vector instructions of another width add in another order."""

    code: ClassVar[str] = "isa"
    meaning: ClassVar[str] = (
        "Two processors used vector instructions of different widths, and added in a different "
        "order."
    )
    look: ClassVar[str] = (
        "Compare on machines of one kind, or set ATEN_CPU_CAPABILITY and ONEDNN_MAX_CPU_ISA to "
        "what both have."
    )
    variations: ClassVar[tuple[Variation, ...]] = (IsaVariation(),)
