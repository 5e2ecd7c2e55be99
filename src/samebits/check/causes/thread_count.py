"""The number of threads that share an operation."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.variation import Baseline, Variation
from samebits.core.interposition.surroundings import Surroundings
from samebits.training.control.process import default_threads

_COUNTS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_ADJUSTMENTS = ("OMP_DYNAMIC", "MKL_DYNAMIC")
_FEW = 8


class ThreadsVariation(Variation):
    """Operations are shared by another number of threads than usual."""

    name: ClassVar[str] = "threads"
    what: ClassVar[str] = "another number of threads for each operation"
    meaning: ClassVar[str] = (
        "it gives different bits on the same inputs; with another number of threads a sum may be "
        "split differently, and round differently"
    )
    meaning_elsewhere: ClassVar[str] = "what the script does depends on the number of threads"
    fix_elsewhere: ClassVar[str] = (
        "Split the work by a number that the script itself sets, not by the number of threads or "
        "processors."
    )
    fix: ClassVar[str] = (
        "Call torch.set_num_threads(n), and set OMP_NUM_THREADS=n, the same n on every machine."
    )

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """One thread where they are few, two in place of one, half of them where they are many.

        One against several shows most: a sum of 65,536 numbers is cut in two parts by two threads
        and by any larger number. Where they are many, one alone would take too long.
        """
        usual = default_threads(circumstances.environment)
        return Surroundings(environment=limited_to(_other(usual)))


class ThreadCount(KnownCause):
    """Threads that share a sum cut it, and round, in different places."""

    code: ClassVar[str] = "thread-count"
    meaning: ClassVar[str] = "The number of threads determined how sums were split."
    look: ClassVar[str] = "torch.set_num_threads(n) and OMP_NUM_THREADS=n, the same n everywhere."
    variations: ClassVar[tuple[Variation, ...]] = (ThreadsVariation(),)


def limited_to(count: int) -> dict[str, str | None]:
    """The variables that give every library this number of threads, and let none choose fewer."""
    return {**dict.fromkeys(_COUNTS, str(count)), **dict.fromkeys(_ADJUSTMENTS, "FALSE")}


def _other(usual: int) -> int:
    if usual == 1:
        return 2
    return 1 if usual <= _FEW else usual // 2
