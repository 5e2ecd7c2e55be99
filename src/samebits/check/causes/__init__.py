"""The causes that a verdict can name, one module each.

`CAUSES` lists them in the order in which they are tried where equally much speaks for several.
What a cause needs inside a recorded process, one file a hook, stands in `check.hooks`: that process
has to start as fast as without.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.check.causes.address_order import AddressOrder
from samebits.check.causes.batch_size import BatchSize
from samebits.check.causes.cause import KnownCause
from samebits.check.causes.clock import ClockRead
from samebits.check.causes.code_changed import CodeChanged
from samebits.check.causes.collective_order import CollectiveOrder
from samebits.check.causes.control_flow import ControlFlow
from samebits.check.causes.culprit import GoesBy
from samebits.check.causes.data_changed import DataChanged
from samebits.check.causes.entropy import Entropy
from samebits.check.causes.environment_changed import EnvironmentChanged
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.file_order import FileOrder
from samebits.check.causes.hash_order import HashOrder
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.isa import InstructionSet
from samebits.check.causes.nondeterministic_op import NondeterministicOp
from samebits.check.causes.pace import Pace, PacePin
from samebits.check.causes.pin import Pin
from samebits.check.causes.process_timing import ProcessTiming
from samebits.check.causes.rank_rng import RankRng
from samebits.check.causes.resume_state import ResumeState
from samebits.check.causes.thread_count import ThreadCount
from samebits.check.causes.thread_timing import ThreadTiming
from samebits.check.causes.uninitialized_memory import UninitializedMemory
from samebits.check.causes.unknown import Unknown
from samebits.check.causes.unseeded_rng import UnseededRng
from samebits.check.causes.variation import Variation
from samebits.check.causes.worker_rng import WorkerRng
from samebits.core.names import nearest
from samebits.errors import UsageError

CAUSES: tuple[KnownCause, ...] = (
    FileOrder(),
    DataChanged(),
    ClockRead(),
    Entropy(),
    UnseededRng(),
    WorkerRng(),
    RankRng(),
    # Threads that take turns leave the same in memory each time: they would be blamed for it.
    UninitializedMemory(),
    ThreadTiming(),
    ProcessTiming(),
    CollectiveOrder(),
    NondeterministicOp(),
    HashOrder(),
    AddressOrder(),
    ThreadCount(),
    InstructionSet(),
    BatchSize(),
    ControlFlow(),
    ResumeState(),
    CodeChanged(),
    EnvironmentChanged(),
    Unknown(),
)
_BY_CODE = {cause.code: cause for cause in CAUSES}
_PINS = {pin.name: pin for cause in CAUSES for pin in cause.pins}
_VARIATIONS = {variation.name: variation for cause in CAUSES for variation in cause.variations}
_OF_VARIATION = {variation.name: cause for cause in CAUSES for variation in cause.variations}

CODES = tuple(_BY_CODE)
"""Codes of all causes."""
ORDERS = tuple(cause.code for cause in CAUSES if cause.orders)
"""Codes of the causes that are an order of what a set holds."""
RACES = tuple(cause.code for cause in CAUSES if isinstance(cause, Pace))
"""Codes of the causes that are the pace of threads or processes."""
PIN_NAMES = tuple(sorted(_PINS))
VARIATION_NAMES = tuple(sorted(_VARIATIONS))


def known(code: str) -> KnownCause:
    """The cause of one code, such as "hash-order"."""
    return _BY_CODE[code]


def orders_by(goes_by: GoesBy) -> tuple[str, ...]:
    """Codes of the causes that an order can have which goes by that."""
    return tuple(cause.code for cause in CAUSES if goes_by in cause.orders)


def pin(name: str) -> Pin:
    """The pin of one name, such as "hash-seed".

    Raises:
        UsageError: There is none; the message lists those that are there.
    """
    if name not in _PINS:
        raise UsageError(f"there is no pin {name!r}", hint=nearest(name, PIN_NAMES))
    return _PINS[name]


def pins() -> tuple[Pin, ...]:
    """All pins, in the order of their names."""
    return tuple(_PINS[name] for name in PIN_NAMES)


def variation(name: str) -> Variation:
    """The variation of one name, such as "threads".

    Raises:
        UsageError: There is none; the message lists those that are there.
    """
    if name not in _VARIATIONS:
        raise UsageError(f"there is no variation {name!r}", hint=nearest(name, VARIATION_NAMES))
    return _VARIATIONS[name]


def of_variation(name: str) -> KnownCause:
    """The cause that is proved when runs diverge under the variation of this name."""
    return _OF_VARIATION[name]


def hypotheses(evidence: Evidence) -> list[Hypothesis]:
    """Everything that the evidence leaves as a possible cause, the likeliest first.

    Aspects that the two runs prove not to have varied (a clock that nobody read, listings that
    agree) are not among them.
    """
    found = [hypothesis for cause in CAUSES for hypothesis in cause.hypotheses(evidence)]
    if evidence.is_on_equal_inputs and evidence.found.op.startswith("aten."):
        found = [hypothesis for hypothesis in found if _PINS[hypothesis.pin].inside_operations]
    found.sort(key=lambda hypothesis: -hypothesis.standing)
    _ask_for_memory_first(found)
    if evidence.shares_work:  # which process draws a number is a matter of pace, too
        pace = frozenset({PacePin.name})
        found = [
            replace(one, beside=one.beside | pace) if one.pin not in pace else one for one in found
        ]
        # Whether pace alone explains it has to be known before anything is pinned beside it.
        found.sort(key=lambda one: one.pin not in pace or one.standing < Standing.POSSIBLE)
    _ask_for_pace_first(found)
    return found


def _ask_for_pace_first(found: list[Hypothesis]) -> None:
    """Whether pace alone explains it is asked before a clock is held that goes by it.

    Where that is not asked, the clock is held by itself.
    """
    strong = [one for one in found if one.pin == PacePin.name and one.standing >= Standing.POSSIBLE]
    for one in [one for one in found if one.pin == "clock" and PacePin.name in one.beside]:
        if not strong:
            found[found.index(one)] = replace(one, beside=one.beside - {PacePin.name})
        elif found.index(one) < found.index(strong[-1]):
            found.remove(one)
            found.insert(found.index(strong[-1]) + 1, one)


def _ask_for_memory_first(found: list[Hypothesis]) -> None:
    """Memory that nobody has written may hold what a clock or a generator gave to somebody else.

    With that pinned it repeats.
    """
    pins = [hypothesis.pin for hypothesis in found]
    if "memory" not in pins or found[pins.index("memory")].standing < Standing.POSSIBLE:
        return
    memory = pins.index("memory")
    held = min((pins.index(pin) for pin in ("clock", "seeds") if pin in pins), default=memory)
    if held < memory:
        found.insert(held, found.pop(memory))
