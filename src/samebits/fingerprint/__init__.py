"""A 64-bit positional fingerprint of bits, dtype and shape.

`fingerprint(obj)` takes a tensor, a module, an optimizer or a tree of plain values.
docs/how-it-works/fingerprint.md defines the numbers; `reference` is the readable specification.

Called as `samebits.fingerprint(...)`, the package is the function of `samebits.fingerprint.tree`.
"""

from __future__ import annotations

from samebits.callable_package import make_callable
from samebits.fingerprint.isa import apply_environment

apply_environment()
make_callable(__name__, "samebits.fingerprint.tree", "fingerprint")
