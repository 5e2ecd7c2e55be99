"""The compiler's own deterministic setting."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from samebits.training.control.switches.switch import Requirements, TorchSwitch, Value

VARIABLE = "TORCHINDUCTOR_DETERMINISTIC"


class _SavedConfig(NamedTuple):
    variable: str | None
    configured: bool | None


class InductorDeterministic(TorchSwitch):
    """Whether Inductor, which generates code for `torch.compile`, chooses no kernel by stopwatch.

    Inductor takes the setting from the environment when it is imported. Importing it costs about a
    second, so it is not imported for this: while it is absent the variable is the switch, and once
    it is there its configuration is.
    """

    name = "inductor-deterministic"
    setting = f"torch._inductor.config.deterministic = True, or {VARIABLE}=1 before it is imported"
    purpose = (
        "Compiled kernels are not tuned by timing them, which would change their order of "
        "summation from run to run."
    )

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        reason = super().not_applicable(target)
        config = _config()
        if reason is None and config is not None and not hasattr(config, "deterministic"):
            return "this version of Inductor has no such setting"
        return reason

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return True

    def read(self) -> Value:
        """Return the setting that is, or at the import will be, in force."""
        config = _config()
        return _wanted_by_environment() if config is None else bool(config.deterministic)

    def save(self) -> object:
        """Return the variable, and the configuration when Inductor is imported."""
        config = _config()
        return _SavedConfig(os.environ.get(VARIABLE), config and config.deterministic)

    def set(self, target: Requirements) -> None:
        """Set the wanted value, for Inductor as it is and for one that is imported later."""
        os.environ[VARIABLE] = "1"
        if _config() is not None:
            _config().deterministic = True

    def restore(self, saved: object) -> None:
        """Put back what `save` returned, also when Inductor was imported in the meantime."""
        assert isinstance(saved, _SavedConfig)
        variable, configured = saved
        if variable is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = variable
        config = _config()
        if config is not None:
            # Imported inside the scope, it read our variable; it should have read the old one.
            config.deterministic = _wanted_by_environment() if configured is None else configured


def _config() -> Any:
    return sys.modules.get("torch._inductor.config")


def _wanted_by_environment() -> bool:
    return os.environ.get(VARIABLE) == "1"
