"""First calls of MKL's vector functions, which torch's `sin`, `exp`, `sqrt` and others are on x86.

MKL chooses the implementation of such a function as it is first called. Where several threads make
that call, one of them may compute its part with less precision, now and then (sin in 3 of 1,500
processes of two threads): https://github.com/pytorch/pytorch/issues/188792. A call on a single
number, which no threads share, makes the choice beforehand.
"""

from __future__ import annotations

import re

from samebits.training.control.switches.switch import (
    Requirements,
    TorchSwitch,
    Value,
    imported_torch,
)

#: torch's functions that are MKL's for tensors of float32 and float64, and round; from its
#: aten/src/ATen/cpu/vml.h.
VECTOR_FUNCTIONS = (
    *("acos", "asin", "atan", "cos", "erf", "erfc", "erfinv", "exp"),
    *("log", "log10", "log2", "sin", "sqrt", "tan", "tanh"),
)
_MENDED_IN = (2025, 0)


class VectorMath(TorchSwitch):
    """Whether every one of these functions was called on a single number in this process."""

    name = "vector-math"
    setting = "torch.sin(torch.ones(1)), and so for each function, right after import torch"
    purpose = "The first large sin, exp or sqrt of a process comes out as the next ones do."

    def __init__(self) -> None:
        self._called = False

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        reason = super().not_applicable(target)
        if reason is not None:
            return reason
        torch = imported_torch()
        if not torch.backends.mkl.is_available():
            return "this torch is built without MKL"
        version = re.search(r"Math Kernel Library Version (\d+)\.(\d+)", torch.__config__.show())
        if version is not None and (int(version[1]), int(version[2])) >= _MENDED_IN:
            return f"MKL {version[1]}.{version[2]} does not need it"
        return None

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return True

    def read(self) -> Value:
        """Return whether samebits has made the first calls; those of others leave no trace."""
        return self._called

    def set(self, target: Requirements) -> None:
        """Make the first calls; no generator moves and no setting changes."""
        from torch.utils._python_dispatch import _disable_current_modes

        torch = imported_torch()
        # A mode (a recording, say, or exact arithmetic) has no part in them.
        with torch.no_grad(), _disable_current_modes():
            for dtype in (torch.float32, torch.float64):
                number = torch.full((1,), 0.5, dtype=dtype, device="cpu")
                for name in VECTOR_FUNCTIONS:
                    getattr(torch, name)(number)
        self._called = True

    def restore(self, saved: object) -> None:
        """Leave it: what MKL has chosen stays chosen."""
