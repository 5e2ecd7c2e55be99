"""Compares what optimizers of two runs did on other threads than the recorded one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace


def thread_divergence(a: Trace, b: Trace) -> Divergence | None:
    """The first training on another thread that has no equal in the other run.

    Threads take up work as they are ready: the trainings of two runs are compared without an order.

    Args:
        a: Run A.
        b: Run B.
    """
    trainings = [
        {(entry["digest"], entry["steps"]): entry for entry in trace.manifest.thread_steps}
        for trace in (a, b)
    ]
    counts = [
        Counter((entry["digest"], entry["steps"]) for entry in trace.manifest.thread_steps)
        for trace in (a, b)
    ]
    if counts[0] == counts[1]:
        return None
    missing = [list((mine - theirs).elements()) for mine, theirs in (counts, counts[::-1])]
    run = 0 if missing[0] else 1
    entries = sorted(
        (trainings[run][key] for key in missing[run]),
        key=lambda entry: (entry["file"], entry["line"], entry["steps"], entry["digest"]),
    )
    detail = (
        f"parameters differ that optimizers on other threads update: of {len(missing[run])} of "
        f"{counts[run].total()} optimizers in run {'AB'[run]}, none in run {'BA'[run]} has the bits"
    )
    return Divergence(
        kind="saved",
        step=0,
        phase="optimizer",
        op="step",
        detail=detail,
        file=entries[0]["file"] or None,
        line=entries[0]["line"] or None,
    )


def compared_threads(trace: Trace) -> Iterator[str]:
    """A note that the trainings on other threads agree; none where there are none.

    Args:
        trace: Either of two runs that agree in them.
    """
    number = len(trace.manifest.thread_steps)
    if number:
        optimizers = "an optimizer" if number == 1 else f"{number} optimizers"
        yield f"the parameters that {optimizers} updated on other threads agree after each step"
