"""Another number of threads."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.process import default_threads
from samebits.training.control.surroundings import Surroundings
from samebits.training.control.thread_counts import limited_to
from samebits.training.control.variation import Baseline, Variation

_FEW = 8


class ThreadsVariation(Variation):
    """Operations are shared by another number of threads than usual."""

    name: ClassVar[str] = "threads"
    what: ClassVar[str] = "another number of threads for each operation"
    meaning: ClassVar[str] = (
        "on the same inputs it gives other bits; threads that share a sum may cut it in other "
        "places, and round differently"
    )
    meaning_elsewhere: ClassVar[str] = "what the script does depends on the number of threads"
    fix: ClassVar[str] = (
        "Call torch.set_num_threads(n), and set OMP_NUM_THREADS=n, the same n on every machine."
    )
    cause: ClassVar[str] = "thread-count"

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """One thread where they are few, two in place of one, half of them where they are many.

        One against several shows most: a sum of 65,536 numbers is cut in two parts by two threads
        and by any larger number. Where they are many, one alone would take too long.
        """
        usual = default_threads(circumstances.environment)
        return Surroundings(environment=limited_to(_other(usual)))


def _other(usual: int) -> int:
    if usual == 1:
        return 2
    return 1 if usual <= _FEW else usual // 2
