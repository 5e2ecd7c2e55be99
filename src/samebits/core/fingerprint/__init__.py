"""A 64-bit positional fingerprint of bits, dtype and shape.

`fingerprint(obj)` takes a tensor, a module, an optimizer or a tree of plain values.
docs/how-it-works/fingerprint.md defines the numbers; `reference` is the readable specification.
"""

from __future__ import annotations

from samebits.core.fingerprint.isa import apply_environment

apply_environment()
