"""Programs that draw random numbers by themselves: no seed of the script reaches them."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.situation import Situation

_IN_PYTHON = "draw in Python instead, from a generator that is seeded."
_DRAWING = {
    "shuf": "Give it --random-source=FILE with a file that stays as it is, or " + _IN_PYTHON,
    "uuidgen": "Use a name of your own, or " + _IN_PYTHON,
    "mcookie": "Use a name of your own, or " + _IN_PYTHON,
    "pwgen": "Use a name of your own, or " + _IN_PYTHON,
}


def by_programs(situation: Situation, evidence: Evidence) -> Cause | None:
    """The program that a script starts and whose output may be what differs.

    Args:
        situation: Where the two runs diverge.
        evidence: What they have noted up to there.

    Returns:
        None where what differs has not come from outside, or no such program was started.
    """
    found = situation.closer
    started = ((_program(one), one.row.site) for one in evidence.of("process"))
    drawing = ((program, site) for program, site in started if program in _DRAWING and site)
    program, site = next(drawing, ("", None))
    if site is None or not (found.data or found.is_unrecorded):
        return None
    return Cause(
        code="entropy",
        detail=program,
        file=site.file,
        line=site.line,
        evidence=f"{program} was started here, which draws from the system at each start; what "
        "differs has come from outside of torch. What the program does is not recorded.",
        fix=f"No seed reaches {program}. {_DRAWING[program]}",
        confidence="likely",
        process=found.process,
    )


def _program(entry: LedgerPair) -> str:
    return entry.row.detail.partition(" by ")[0]  # the function that has started it
