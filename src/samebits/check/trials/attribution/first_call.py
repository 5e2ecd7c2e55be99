"""A result that came out otherwise once: the first call of one of MKL's vector functions.

See `control.switches.vector_math`. The next call in the same process is right, and so is the first
one of nearly every other process: repeating the operation or pinning something shows nothing. What
shows it is a further run, which comes to the bits of one of the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.position import moved_on
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.situation import Situation, next_situation
from samebits.training.control.switches.vector_math import VECTOR_FUNCTIONS

_OPERATION = re.compile(rf"aten\.(?:_foreach_)?({'|'.join(VECTOR_FUNCTIONS)})_?(?:\.\w+)?")
_SIGNATURE = re.compile(r"(float32|float64)\[([\d, ]*)\]")
_PART_OF_A_THREAD = 2048
"""Elements from which on torch shares such an operation among threads."""
_EARLIER_ROWS = 1_000_000


@dataclass(frozen=True)
class OneOff:
    """What is known once a run was found to be the only one of its kind.

    Attributes:
        cause: What the verdict says of it.
        left: Where runs diverge besides, further on; None where they agree.
    """

    cause: Cause
    left: Situation | None


def imprecise_first_call(case: Case, situation: Situation, evidence: Evidence) -> OneOff | None:
    """Explain a first call that gave other bits, where one further run tells which was the odd one.

    Args:
        case: The runs that may be made; a run is made only where the operation is such a call.
        situation: Where two runs diverge.
        evidence: What they have noted.
    """
    function = _first_call(situation, evidence)
    if function is None:
        return None
    plain = Interventions(pinned=situation.pinned)
    trials, scope = case.trials, situation.scope
    a, b = situation.traces
    try:
        beside_b = trials.once_more((b, a), plain, scope)
    except OutOfRunsError:
        case.spent = True
        return None
    beside_a = trials.compare(a, beside_b.traces[1], plain, scope)
    further = [
        trial
        for trial in (beside_a, beside_b)
        if trial.usable and moved_on(situation.found, trial.divergence)
    ]
    if len(further) != 1 or not beside_b.usable:
        return None
    odd, numbers = ("A" if further[0] is beside_b else "B"), (beside_a.number, beside_b.number)
    found = situation.closer
    cause = Cause(
        code="nondeterministic-op",
        detail=found.op,
        file=found.file,
        line=found.line,
        evidence=f"Run {odd} got a different result, although everything it was given agrees; a "
        "further run got the same as the other. It is the first call of this function in the "
        "process, shared by several threads. MKL selects its implementation during that call "
        "and is known to compute one thread's part with less precision occasionally "
        "(https://github.com/pytorch/pytorch/issues/188792).",
        fix=f"Call it on a single number right after import torch: torch.{function}"
        "(torch.ones(1)). samebits run and samebits.deterministic() do so for each such function.",
        confidence="likely",
        observations=(*situation.diverged, *numbers),
    )
    return OneOff(cause, next_situation(situation, further[0]))


def _first_call(situation: Situation, evidence: Evidence) -> str | None:
    """The function, where the operation is its first large call in both runs."""
    found = situation.closer
    matched = _OPERATION.fullmatch(found.op)
    if matched is None or found.is_unrecorded or not evidence.is_on_equal_inputs:
        return None
    sizes = [
        prod(int(size) for size in shape.split(",") if size.strip())
        for _, shape in _SIGNATURE.findall(found.signature)
    ]
    if sum(sizes) <= _PART_OF_A_THREAD or situation.closer_scope.from_step not in (None, 0):
        return None
    if not all(_may_race(trace) for trace in situation.closer_traces):
        return None
    function = matched[1]
    rows = zip(situation.closer_own_traces, found.rows, strict=True)
    first = all(row is not None and _is_first(trace, function, row) for trace, row in rows)
    return function if first else None


def _may_race(trace: Trace) -> bool:
    """Whether MKL computed it, on several threads, and nobody made the first calls beforehand."""
    manifest = trace.manifest
    reading = manifest.switches.get("vector-math") or {}
    threads = manifest.environment.get("threads")
    several = isinstance(threads, dict) and int(threads.get("torch") or 1) > 1
    on_gpu = bool(manifest.environment.get("gpus"))
    return reading.get("holds") is False and several and not on_gpu


def _is_first(trace: Trace, function: str, row: int) -> bool:
    """Whether no operation before the row is the same function."""
    if row > _EARLIER_ROWS:
        return False
    for batch in trace.iter_ops(("op",)):
        codes = batch.columns["op"][: max(row - batch.start, 0)]
        names = [batch.names["op"][code] for code in set(codes.tolist())]
        if any((m := _OPERATION.fullmatch(name)) and m[1] == function for name in names):
            return False
        if batch.start + len(batch) > row:
            break
    return True
