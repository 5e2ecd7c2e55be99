"""Work that only one of two runs did, and that made no difference to what both did.

The first run of a script may make a cache that every later one finds. The operations that made it
stand in the first run alone; what matters is whether everything else came to the same bits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from samebits.check.diff.align import Alignment, align_keys
from samebits.check.diff.artifacts import exit_divergence
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.keys import row_keys
from samebits.check.diff.printed_output import lines_that_count
from samebits.check.diff.process_operations import compare_process_operations
from samebits.check.diff.processes import compare_processes
from samebits.check.diff.reordered import differing
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.threads import thread_divergence
from samebits.check.diff.written_files import WRITTEN_BESIDE, digests_of_written
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import STEP_DIGESTS

_DIGESTS = ("outputs", "flags")
_STEP_FACTOR = np.uint64(0xFF51AFD7ED558CCD)
_HAS_DIGIT = re.compile(r"\d")


def agree_but_for_surplus(a: Trace, b: Trace) -> bool:
    """Whether two runs agree in all that both did: operations, steps, files and printed numbers.

    Operations that only one of them did are passed over, and so are lines and files that only the
    first one printed or wrote, and lines of the second one that hold no number.

    Args:
        a: The run that may have made something.
        b: A run that found it there.

    Raises:
        TraceError: A trace is damaged.
    """
    return agree_but_for_operations(a, b) and _files_agree(a, b) and _text_agrees(a, b)


def agree_but_for_operations(a: Trace, b: Trace, *, digests: Sequence[str] = STEP_DIGESTS) -> bool:
    """Whether two runs agree in the operations that both did, in their steps and other processes.

    Args:
        a: Run A.
        b: Run B.
        digests: Those of a step that count.

    Raises:
        TraceError: A trace is damaged.
    """
    whole = not any(trace.cut for trace in (a, b)) and a.manifest.level == b.manifest.level
    return (
        whole
        and a.ranks == b.ranks
        and not correspondence(a, b).edited
        and all(
            _common_rows_agree(a, b, rank) and _steps_agree(a, b, rank, digests) for rank in a.ranks
        )
        and thread_divergence(a, b) is None
        and compare_process_operations(a, b, None, lines=True).divergence is None
        and compare_processes(a, b, lines=True).divergence is None
        and exit_divergence(a, b) is None
    )


def _common_rows_agree(a: Trace, b: Trace, rank: int) -> bool:
    of_a, of_b = (trace.ops(_DIGESTS, rank).columns for trace in (a, b))
    for of_first, of_second, length in _aligned(a, b, rank).blocks.tolist():
        one, other = (
            {name: values[begin : begin + length] for name, values in columns.items()}
            for columns, begin in ((of_a, of_first), (of_b, of_second))
        )
        if differing(one, other).any():
            return False
    return True


def first_surplus(a: Trace, b: Trace) -> OpRow | None:
    """The first operation of the script's own process that only one of two runs did.

    Raises:
        TraceError: A trace is damaged.
    """
    alignment = _aligned(a, b, 0)
    # A block of no rows stands at the end of both, so that what follows the last one is found.
    first = [0, 0]
    for *begin, length in [*alignment.blocks.tolist(), [*alignment.rows, 0]]:
        for trace, number, until in zip((a, b), first, begin, strict=True):
            if number < until:
                return trace.row(number)
        first = [number + length for number in begin]
    return None


def _aligned(a: Trace, b: Trace, rank: int) -> Alignment:
    """Which rows are the same: in the same step, or what is done in each would be shifted."""
    files = correspondence(a, b)
    keys = (
        row_keys(trace, rank, files=names) + _steps(trace, rank) * _STEP_FACTOR
        for trace, names in ((a, files.a), (b, files.b))
    )
    return align_keys(*keys)


def _steps(trace: Trace, rank: int) -> npt.NDArray[np.uint64]:
    return trace.ops(("step",), rank).columns["step"].astype(np.uint64)


def _steps_agree(a: Trace, b: Trace, rank: int, digests: Sequence[str]) -> bool:
    found = first_step_divergence(
        a, b, rank=rank, same_level=True, open_ends=(False, False), only=digests
    )
    return found is None


def _files_agree(a: Trace, b: Trace) -> bool:
    """Whether what both wrote is the same, and what only the second wrote is in the first too."""
    for kind in ("tensors", *WRITTEN_BESIDE):
        of_a, of_b = (digests_of_written(trace, kind) for trace in (a, b))
        if any(of_a[path] != of_b[path] for path in of_a.keys() & of_b.keys()):
            return False
        if Counter(_only(of_b, of_a)) - Counter(_only(of_a, of_b)):
            return False
    return True


def _only(mine: Mapping[str, list[str]], theirs: Mapping[str, list[str]]) -> Iterator[str]:
    for path in mine.keys() - theirs.keys():
        yield from mine[path]


def _text_agrees(a: Trace, b: Trace) -> bool:
    of_a, of_b = (Counter(lines_that_count(trace)) for trace in (a, b))
    return not any(_HAS_DIGIT.search(line) for line in of_b - of_a)
