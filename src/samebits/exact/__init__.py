"""Arithmetic whose bits do not depend on the machine: `samebits.exact()`.

Called, the package is the context manager and decorator of `samebits.exact.block`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samebits.callable_package import make_callable

if TYPE_CHECKING:
    from samebits.exact.covered import coverage as coverage

make_callable(__name__, "samebits.exact.block", "exact")


def __getattr__(name: str) -> Any:
    if name == "coverage":
        from samebits.exact.covered import coverage

        return coverage
    raise AttributeError(f"module 'samebits.exact' has no attribute {name!r}")
