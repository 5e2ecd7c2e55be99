"""Losses that torch computes chunk by chunk, in Python (docs/arithmetic.md, "Losses").

torch keeps these as operations of its own, whose bodies call others. The bodies run here under the
mode, so that each operation in them is exact.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.registry import decomposition

_NAMES = (
    "_linear_cross_entropy_batch_chunked",
    "_linear_cross_entropy_batch_chunked_no_reduction",
)


def _bodies() -> dict[str, Any]:
    """The functions behind the operations, as far as this torch has them."""
    try:
        module = importlib.import_module("torch.nn.modules.linear_cross_entropy")
    except ImportError:  # torch before 2.12
        return {}
    found = {name: getattr(getattr(module, name, None), "_init_fn", None) for name in _NAMES}
    return {f"torch_nn.{name}": body for name, body in found.items() if callable(body)}


_BODIES = _bodies()


@decomposition(*_BODIES, under_mode=True)
def linear_cross_entropy(op: Any, *args: Any) -> Any:
    """The cross-entropy of a product, and its derivatives, for some rows at a time."""
    require_plain(op, [value for value in args if isinstance(value, torch.Tensor)])
    return _BODIES[str(op).removesuffix(".default")](*args)
