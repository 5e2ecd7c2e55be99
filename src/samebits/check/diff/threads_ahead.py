"""Threads that were further in one run, since they work until they are told to stop.

How far such a one has come by then is a matter of pace. It changes nothing where all that it did in
both runs agrees, and where what it did further was written into no tensor that others may hold.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag
from samebits.core.source.statement import enclosing_statements

AHEAD = (
    "{0} was further in one run when it ended, as one that works until it is told to stop may be: "
    "what it did in both runs agrees"
)
"""Told of a thread by its name."""
_MOST_AHEAD = 10_000
"""Operations that a thread may be ahead."""


def is_merely_ahead(traces: Sequence[Trace | None], found: Divergence) -> bool:
    """Whether a thread went on further in one run, and wrote into nothing then, as weights.

    Args:
        traces: What it recorded in run A and in run B.
        found: Where they diverge.

    Raises:
        TraceError: A trace is damaged.
    """
    if not only_goes_on(found):
        return False
    side, first = next((n, row) for n, row in enumerate(found.rows) if row is not None)
    trace = traces[side]
    failed = {t.manifest.exit["reason"] == "exception" for t in traces if t is not None}
    if trace is None or len(failed) > 1:
        return False
    ahead = range(first, trace.count_ops())
    if len(ahead) > _MOST_AHEAD or trace.manifest.operations_left_out:
        return False
    return not any(row.flags & Flag.INPLACE for row in trace.rows(ahead))


def only_goes_on(found: Divergence) -> bool:
    """Whether a thread did the same in both runs, and then more of a loop in one of them.

    The loop is one that ends when it is told to. One that goes through something, or for ever, has
    done less for another reason.

    Args:
        found: Where its runs diverge.
    """
    of_thread = any(owner_of(name) != name for name in found.processes)
    if not of_thread or found.kind != "inserted" or None not in found.rows:
        return False
    around = (one.node for one in enclosing_statements(found.file, found.line))
    return any(isinstance(n, ast.While) and not isinstance(n.test, ast.Constant) for n in around)
