"""Which step of a straight run a resumed one begins at, and the first in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS

_STEP = STEP_KINDS.index("step")


def first_common_step(straight: Trace, resumed: Trace, kill_at_step: int) -> int:
    """The straight run's step that the resumed run's first one is.

    A step up to the kill of which every digest agrees is it. Else, if both run to the same end, the
    numbers of steps tell it; where they cannot (the resumed run takes more steps, or too few), the
    step whose digests agree best.

    Args:
        straight: The straight run.
        resumed: The resumed one.
        kill_at_step: The steps that the killed run had done.
    """
    mine, theirs = straight.steps(), resumed.steps()
    total, taken = _steps(straight), _steps(resumed)
    counted = total - taken
    reaches_the_end = 0 <= counted <= kill_at_step
    if taken == 0:
        return counted if reaches_the_end else kill_at_step

    def agreeing(step: int) -> int:
        return sum(int(mine[name][step]) == int(theirs[name][0]) for name in STEP_DIGESTS)

    # Of equals the latest: a run resumes where it was last saved.
    candidates = range(min(kill_at_step + 1, total))
    best = max(candidates, key=lambda step: (agreeing(step), step == counted, step))
    whole = agreeing(best) == len(STEP_DIGESTS)
    return counted if reaches_the_end and not whole else best


def first_difference(straight: Trace, resumed: Trace, begin: int) -> Divergence | None:
    """The first step in which the resumed run is not the straight one.

    Between two steps a run may fetch batches and run the model for other ends: the resumed run may
    fetch and skip those that are done, the straight one may evaluate. So these two digests name a
    difference, and do not make one: that is for what the step came to.

    Args:
        straight: The straight run.
        resumed: The resumed one.
        begin: The step of the straight run that the resumed run's first one is.
    """

    def difference(first: int, only: Sequence[str] = STEP_DIGESTS) -> Divergence | None:
        return first_step_divergence(
            straight,
            resumed,
            same_level=True,
            open_ends=(False, False),
            only=only,
            skip=(begin + first, first),
        )

    settled = difference(0, [name for name in STEP_DIGESTS if name not in ("batch", "outputs")])
    if settled is None or settled.step >= min(_steps(straight), begin + _steps(resumed)):
        return settled
    return difference(settled.step - begin)


def _steps(trace: Trace) -> int:
    return int((trace.steps()["kind"] == _STEP).sum())
