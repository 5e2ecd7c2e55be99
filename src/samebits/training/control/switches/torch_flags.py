"""Flags that torch keeps as plain attributes, and the one that has functions of its own."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from samebits.training.control.switches.switch import (
    Requirements,
    TorchSwitch,
    Value,
    imported_torch,
)


@dataclass(frozen=True)
class TorchFlag(TorchSwitch):
    """A flag that is one attribute of one torch module.

    Attributes:
        name: See `Switch`.
        module: The module that holds the attribute.
        attribute: The attribute; dots reach into objects of the module.
        value: The wanted value.
        purpose: See `Switch`.
    """

    name: str
    module: str
    attribute: str
    value: Value
    purpose: str

    @property
    def setting(self) -> str:  # type: ignore[override]
        """What a person would write to set it."""
        return f"{self.module}.{self.attribute} = {self.value}"

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        reason = super().not_applicable(target)
        if reason is None:
            try:
                self.read()
            except (AttributeError, ImportError):
                return f"torch {imported_torch().__version__} has no {self.module}.{self.attribute}"
        return reason

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return self.value

    def read(self) -> Value:
        """Return the value that is in force now."""
        owner, name = self._owner()
        value: Value = getattr(owner, name)
        return value

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        self.restore(self.value)

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        owner, name = self._owner()
        setattr(owner, name, saved)

    def _owner(self) -> tuple[Any, str]:
        owner: Any = importlib.import_module(self.module)
        *path, name = self.attribute.split(".")
        for part in path:
            owner = getattr(owner, part)
        return owner, name


class DeterministicAlgorithmsSwitch(TorchSwitch):
    """Whether torch replaces, or refuses, operations without a deterministic implementation."""

    name = "deterministic-algorithms"
    setting = "torch.use_deterministic_algorithms(True)"
    purpose = (
        "Operations take their deterministic implementation where one exists; where none does they "
        "raise an error, or warn."
    )

    # `set_deterministic_debug_mode` is the same switch with its three states in one value, and it
    # does not import the compiler, which `use_deterministic_algorithms` does in newer versions.
    _STATES = ("default", "warn", "error")

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return target.mode

    def read(self) -> Value:
        """Return "default", "warn" or "error"."""
        return self._STATES[imported_torch().get_deterministic_debug_mode()]

    def holds(self, value: Value, target: Requirements) -> bool:
        """Return whether `value` is as good as the wanted one: "error" is stricter than "warn"."""
        return value == target.mode or value == "error"

    def needs_setting(self, value: Value, target: Requirements) -> bool:
        """Return whether to set it: a person who asks for "warn" inside of "error" gets "warn"."""
        return value != target.mode

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        self.restore(target.mode)

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        imported_torch().set_deterministic_debug_mode(saved)


TORCH_FLAGS = (
    DeterministicAlgorithmsSwitch(),
    TorchFlag(
        "fill-uninitialized-memory",
        "torch.utils.deterministic",
        "fill_uninitialized_memory",
        True,
        "torch.empty and its like give NaN or the largest integer, not what memory happened to "
        "hold; in force while deterministic algorithms are.",
    ),
    TorchFlag(
        "cudnn-deterministic",
        "torch.backends.cudnn",
        "deterministic",
        True,
        "cuDNN may use only algorithms that give the same bits each time. It does not stop cuDNN "
        "from choosing among them by stopwatch: that is cudnn-benchmark.",
    ),
    TorchFlag(
        "cudnn-benchmark",
        "torch.backends.cudnn",
        "benchmark",
        False,
        "cuDNN does not choose its convolution algorithm by timing, so that a busy machine does "
        "not change the choice. The chosen one may still be nondeterministic: that is "
        "cudnn-deterministic.",
    ),
    TorchFlag(
        "mkldnn-deterministic",
        "torch.backends.mkldnn",
        "deterministic",
        True,
        "oneDNN uses only primitives that give the same bits each time.",
    ),
    TorchFlag(
        "fp16-accumulation",
        "torch.backends.cuda",
        "matmul.allow_fp16_accumulation",
        False,
        "CUDA matrix products of float16 add up in float32, on every GPU alike.",
    ),
)
