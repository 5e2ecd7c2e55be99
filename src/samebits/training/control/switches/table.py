"""The one table of everything that `deterministic()` sets and `audit()` reads."""

from __future__ import annotations

from collections.abc import Iterable

from samebits.errors import UsageError
from samebits.training.control.switches.float_precision import FLOAT_PRECISIONS
from samebits.training.control.switches.inductor import InductorDeterministic
from samebits.training.control.switches.interpreter import INTERPRETER
from samebits.training.control.switches.reductions import REDUCTIONS
from samebits.training.control.switches.switch import Switch
from samebits.training.control.switches.threads import THREADS
from samebits.training.control.switches.torch_flags import TORCH_FLAGS
from samebits.training.control.switches.variables import VARIABLES
from samebits.training.control.switches.vector_math import VectorMath

#: Every switch, in the order in which reports show them.
SWITCHES: tuple[Switch, ...] = (
    *TORCH_FLAGS,
    *FLOAT_PRECISIONS,
    *REDUCTIONS,
    InductorDeterministic(),
    VectorMath(),
    *THREADS,
    *VARIABLES,
    *INTERPRETER,
)

NAMES = tuple(switch.name for switch in SWITCHES)


def checked_names(names: Iterable[str]) -> frozenset[str]:
    """Return `names` as a set, or say which of them is no switch.

    Raises:
        UsageError: A name is not in the table, or a bare string was given.
    """
    if isinstance(names, str):
        raise UsageError(
            f"The names of switches must be a list, and are the string {names!r}.",
            hint=f"Write [{names!r}].",
        )
    chosen = frozenset(names)
    unknown = sorted(str(name) for name in chosen.difference(NAMES))
    if unknown:
        raise UsageError(
            f"There is no switch called {', '.join(unknown)}.",
            hint=f"The switches are: {', '.join(NAMES)}.",
        )
    return chosen
