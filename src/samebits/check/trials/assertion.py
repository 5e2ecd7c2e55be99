"""`samebits.assert_same()`: the check as one line of a test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from samebits.core.names import printable
from samebits.errors import NotSameError, UsageError
from samebits.training.control.rng_state import capture, restore

if TYPE_CHECKING:
    from samebits.check.diff.verdict import Verdict

T = TypeVar("T")

_SHOWN = 5


def assert_same(fn: Callable[[], T], runs: int = 2) -> T:
    """Call a function several times from the same generator states and demand the same bits.

    Every operation inside the function is recorded and compared, and so is what it returns. The
    generators (Python's, NumPy's, torch's) are put back before each call as the first one found
    them; after the last call they stand where one call would have left them. Other state that the
    function changes (a model that it trains, say) is its own concern: make it inside. Where the
    calls differ and the first one changed a tensor, a module, an optimizer or a generator that the
    function reaches by name, the message says so.

    ```python
    def test_training_repeats():
        samebits.assert_same(lambda: train(make_model(), steps=3))
    ```

    Args:
        fn: Called without arguments. What it returns must have a fingerprint: tensors, modules,
            numbers, strings, None, or trees of them.
        runs: How many calls to compare, at least 2.

    Returns:
        What the last call returned.

    Raises:
        NotSameError: The calls differ; the message names the operation and the line.
        UsageError: `runs` is too small, or the result has no fingerprint.
    """
    from samebits.check.diff.divergence import compare_traces
    from samebits.check.record.block import record
    from samebits.check.trials.outer_state import OuterState
    from samebits.core.fingerprint.tree import fingerprint

    if runs < 2:
        raise UsageError(f"assert_same needs at least 2 runs to compare, not {runs}")
    before = capture()
    outer = OuterState(fn)
    changed: list[str] = []
    first: tuple[Any, str] | None = None
    with tempfile.TemporaryDirectory(prefix="samebits-") as folder:
        for number in range(1, runs + 1):
            restore(before)
            with record(Path(folder, f"run-{number}")) as recorded:
                result = fn()
            digest = fingerprint(result)
            if first is None:
                first = recorded.trace, digest
                changed = outer.changed()
                continue
            compared = compare_traces(first[0], recorded.trace)
            found = compared.first_divergence
            unclear = next((one for one in compared.not_compared if one.what == "draw"), None)
            if found is None and unclear is not None:
                raise _not_same(
                    f"call 1 and call {number} differ: {unclear.name}",
                    f": {unclear.why}",
                    changed,
                    hint="Seed what it draws from.",
                )
            if found is not None:
                where = f" at {found.file}:{found.line}" if found.file is not None else ""
                raise _not_same(
                    f"call 1 and call {number} differ{where}: {found.op}",
                    f": {found.detail}",
                    changed,
                    hint="Seed what it draws from, and set samebits.deterministic().",
                    verdict=compared,
                )
            if digest != first[1]:
                raise _not_same(
                    f"call 1 returned {first[1]}, call {number} returned {digest}",
                    ", although every torch operation agrees",
                    changed,
                    hint="The difference was made outside of torch: look at what is returned.",
                )
    return result


def _not_same(
    where: str, what: str, changed: list[str], *, hint: str, verdict: Verdict | None = None
) -> NotSameError:
    """The error, which blames chance only where no call changed what the next one starts from."""
    if not changed:
        return NotSameError(where + what, hint=hint, verdict=verdict)
    names = ", ".join(printable(name, 80) for name in changed[:_SHOWN])
    if len(changed) > _SHOWN:
        names += f" and {len(changed) - _SHOWN} more"
    return NotSameError(
        f"{where}; call 1 changed {names}, so the next call started from another state",
        hint="Make it inside the function, or put it back there before it is used.",
        verdict=verdict,
    )
