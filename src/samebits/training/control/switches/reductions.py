"""Whether products of 16-bit numbers may add up in 16 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samebits.training.control.switches.switch import (
    Requirements,
    TorchSwitch,
    Value,
    imported_torch,
)


@dataclass(frozen=True)
class ReducedPrecisionReduction(TorchSwitch):
    """cuBLAS may add the partial sums of a 16-bit matrix product in 16 bits; here it may not.

    Attributes:
        name: See `Switch`.
        attribute: The flag on `torch.backends.cuda.matmul`.
        purpose: See `Switch`.
    """

    name: str
    attribute: str
    purpose: str

    @property
    def setting(self) -> str:  # type: ignore[override]
        """What a person would write to set it."""
        return f"torch.backends.cuda.matmul.{self.attribute} = False"

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return False

    def read(self) -> Value:
        """Return whether reduced precision is allowed."""
        value: bool = getattr(_matmul(), self.attribute)
        return value

    def save(self) -> object:
        """Return the flag, with its second half (may the sum be split) in versions that have it."""
        split = getattr(_matmul(), f"{self.attribute}_split_k", None)
        return self.read() if split is None else (self.read(), split)

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        # A bare False would also allow splitting again, for a person who had forbidden it.
        saved = self.save()
        self.restore((False, saved[1]) if isinstance(saved, tuple) else False)

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        setattr(_matmul(), self.attribute, saved)


class AttentionReduction(TorchSwitch):
    """Whether the plain ("math") attention may add up 16-bit numbers in 16 bits."""

    name = "attention-reduction"
    setting = "torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)"
    purpose = "The plain form of scaled dot product attention adds 16-bit numbers up in float32."

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return False

    def read(self) -> Value:
        """Return whether reduced precision is allowed."""
        value: bool = imported_torch().backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
        return value

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        self.restore(False)

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        imported_torch().backends.cuda.allow_fp16_bf16_reduction_math_sdp(saved)


def _matmul() -> Any:
    return imported_torch().backends.cuda.matmul


REDUCTIONS = (
    ReducedPrecisionReduction(
        "fp16-reduction",
        "allow_fp16_reduced_precision_reduction",
        "Partial sums of float16 matrix products are added in float32, on every GPU alike.",
    ),
    ReducedPrecisionReduction(
        "bf16-reduction",
        "allow_bf16_reduced_precision_reduction",
        "Partial sums of bfloat16 matrix products are added in float32, on every GPU alike.",
    ),
    AttentionReduction(),
)
