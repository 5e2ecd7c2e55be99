"""How exactly torch multiplies float32 numbers: TF32 and bfloat16 products switched off.

torch has two interfaces to this. The older one is `allow_tf32` and
`torch.set_float32_matmul_precision`; the newer one is `fp32_precision` on each backend and
operation. The older setters write the newer values as well, the newer setters do not write the
older ones, and when the two disagree the *older getters raise*: `torch.backends.cudnn.flags()`,
the compiler and many libraries would then fail inside of a scope of ours. So a switch here first
sets the older value and then the newer ones, which leaves both readable; and it reads only the
newer ones, whose getters never raise.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from samebits.training.control.switches.switch import (
    Requirements,
    TorchSwitch,
    Value,
    imported_torch,
)

# "none" at a leaf means that nothing was asked for; torch then computes in full precision.
_FULL = ("ieee", "none")


class _SavedPrecision(NamedTuple):
    legacy: Value
    values: tuple[str, ...]


@dataclass(frozen=True)
class Float32Precision(TorchSwitch):
    """Full float32 precision for a group of operations that share one older flag.

    Attributes:
        name: See `Switch`.
        leaves: The objects with a `fp32_precision`, as (module, attribute).
        legacy: The older flag beside them.
        setting: See `Switch`.
        purpose: See `Switch`.
    """

    name: str
    leaves: tuple[tuple[str, str], ...]
    legacy: LegacyFlag | None
    setting: str
    purpose: str

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        reason = super().not_applicable(target)
        if reason is None:
            try:
                self._values()
            except (AttributeError, ImportError, RuntimeError) as error:
                return f"torch {imported_torch().__version__} does not tell: {error}"
        return reason

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return "ieee"

    def read(self) -> Value:
        """Return "ieee", or each operation with a reduced precision, as "conv=tf32 rnn=tf32"."""
        reduced = [
            f"{attribute or module.rpartition('.')[2]}={value}"
            for (module, attribute), value in zip(self.leaves, self._values(), strict=True)
            if value not in _FULL
        ]
        return " ".join(reduced) or "ieee"

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        with _without_deprecations():
            if self.legacy is not None:
                self.legacy.write(self.legacy.full)
            for leaf in self.leaves:
                # What is still reduced inherits it from its backend; say it outright.
                if _leaf(leaf).fp32_precision not in _FULL:
                    _leaf(leaf).fp32_precision = "ieee"

    def save(self) -> object:
        """Return all that `restore` needs."""
        with _without_deprecations():
            return _SavedPrecision(
                None if self.legacy is None else self._legacy_value(), self._values()
            )

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        assert isinstance(saved, _SavedPrecision)
        with _without_deprecations():
            if self.legacy is not None:
                self.legacy.write(saved.legacy)
            self._restore_values(saved.values)

    def _values(self) -> tuple[str, ...]:
        return tuple(_leaf(leaf).fp32_precision for leaf in self.leaves)

    def _restore_values(self, values: tuple[str, ...]) -> None:
        for leaf, value in zip(self.leaves, values, strict=True):
            # A leaf reads as what it inherits. Try inheriting first, so that a leaf that followed
            # its backend follows it again.
            _leaf(leaf).fp32_precision = "none"
            if _leaf(leaf).fp32_precision != value:
                _leaf(leaf).fp32_precision = value

    def _legacy_value(self) -> Value:
        """Read the older flag even where its getter would raise, and leave everything unchanged."""
        assert self.legacy is not None
        values = self._values()
        try:
            for probe in self.legacy.probes:
                for leaf in self.leaves:
                    _leaf(leaf).fp32_precision = probe
                try:
                    return self.legacy.read()
                except RuntimeError:
                    continue
            return self.legacy.full
        finally:
            self._restore_values(values)


class LegacyFlag:
    """The older flag over a group of operations, and how to read it in spite of the newer ones.

    Attributes:
        full: Its value for full precision.
        probes: Newer values under one of which the getter agrees, whatever the older value is.
    """

    full: Value
    probes: tuple[str, ...]

    def read(self) -> Value:
        """Return its value.

        Raises:
            RuntimeError: The newer values disagree with it.
        """
        raise NotImplementedError

    def write(self, value: Value) -> None:
        """Set it; this sets the newer values too."""
        raise NotImplementedError


class MatmulPrecision(LegacyFlag):
    """`torch.set_float32_matmul_precision`: "highest", "high" or "medium"."""

    full = "highest"
    # The getter never objects when both backends say "ieee".
    probes = ("ieee",)

    def read(self) -> Value:
        """Return its value."""
        value: str = imported_torch().get_float32_matmul_precision()
        return value

    def write(self, value: Value) -> None:
        """Set it; this sets the newer values too."""
        imported_torch().set_float32_matmul_precision(value)


class CudnnAllowTf32(LegacyFlag):
    """`torch.backends.cudnn.allow_tf32`."""

    full = False
    # The getter agrees under "tf32" when the flag is on, and under "ieee" when it is off.
    probes = ("tf32", "ieee")

    def read(self) -> Value:
        """Return its value."""
        value: bool = imported_torch().backends.cudnn.allow_tf32
        return value

    def write(self, value: Value) -> None:
        """Set it; this sets the newer values too."""
        imported_torch().backends.cudnn.allow_tf32 = value


def _leaf(leaf: tuple[str, str]) -> Any:
    module, attribute = leaf
    owner = importlib.import_module(module)
    return getattr(owner, attribute) if attribute else owner


@contextmanager
def _without_deprecations() -> Iterator[None]:
    """Silence torch's advice against its older setters: using both is the point here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*TF32.*")
        yield


FLOAT_PRECISIONS = (
    Float32Precision(
        "matmul-float32-precision",
        (("torch.backends.cuda", "matmul"), ("torch.backends.mkldnn", "matmul")),
        MatmulPrecision(),
        'torch.set_float32_matmul_precision("highest")',
        "Matrix products of float32 numbers do not round their factors to TF32 or bfloat16, which "
        "only some devices do.",
    ),
    Float32Precision(
        "cudnn-float32-precision",
        (("torch.backends.cudnn", "conv"), ("torch.backends.cudnn", "rnn")),
        CudnnAllowTf32(),
        "torch.backends.cudnn.allow_tf32 = False",
        "cuDNN's convolutions and recurrent layers do not round float32 numbers to TF32, which "
        "torch lets them do by default and only some GPUs do.",
    ),
    Float32Precision(
        "mkldnn-float32-precision",
        (("torch.backends.mkldnn", "conv"), ("torch.backends.mkldnn", "rnn")),
        None,
        'torch.backends.mkldnn.conv.fp32_precision = "ieee"',
        "oneDNN's convolutions and recurrent layers on the CPU do not round float32 numbers to "
        "bfloat16 or TF32.",
    ),
)
