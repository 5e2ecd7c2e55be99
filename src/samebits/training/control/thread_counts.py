"""The variables by which libraries learn how many threads to use."""

from __future__ import annotations

_COUNTS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_ADJUSTMENTS = ("OMP_DYNAMIC", "MKL_DYNAMIC")


def limited_to(count: int) -> dict[str, str | None]:
    """The variables that give every library this number of threads, and let none choose fewer."""
    return {**dict.fromkeys(_COUNTS, str(count)), **dict.fromkeys(_ADJUSTMENTS, "FALSE")}
