"""Whether anything but what the notes of two runs show may explain why they diverge."""

from __future__ import annotations

import ast

from samebits.check import causes
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Standing
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import sources_of
from samebits.core.source.statement import called, statements_in

_SETS = frozenset({"WeakSet", "frozenset", "hash", "id", "set"})


def only_pace_explains(situation: Situation, evidence: Evidence) -> bool:
    """Whether nothing but the pace of threads and processes is even possible, as far as noted.

    The script makes no set, and has read or drawn nothing else that may differ and reach a result.
    Then no run is needed to tell a race that both runs' notes show.

    Args:
        situation: Where the two runs diverge.
        evidence: What both have noted up to there.
    """
    if any(map(_asks_for_an_order, sources_of(situation.traces[0]))):
        return False
    return not any(
        hypothesis.standing >= Standing.POSSIBLE
        for hypothesis in causes.hypotheses(evidence)
        if hypothesis.code not in (*causes.RACES, *causes.ORDERS)
    )


def _asks_for_an_order(path: str) -> bool:
    """Whether a source file makes a set, or asks for a hash or an address, anywhere."""
    return any(
        isinstance(node, ast.Set | ast.SetComp)
        or (isinstance(node, ast.Call) and called(node) in _SETS)
        for statement in statements_in(path)
        for node in statement.expressions()
    )
