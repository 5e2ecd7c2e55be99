"""The number of threads within one operation."""

from __future__ import annotations

from samebits.training.control.switches.switch import (
    Requirements,
    TorchSwitch,
    Value,
    imported_torch,
)

NOT_ASKED = "no number of threads was asked for"


class TorchThreads(TorchSwitch):
    """How many threads share one CPU operation, which decides where torch cuts its sums."""

    name = "torch-threads"
    setting = "torch.set_num_threads(n)"
    purpose = "Sums on the CPU are cut into the same parts on machines of any size."

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        return super().not_applicable(target) or (NOT_ASKED if target.threads is None else None)

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return target.threads

    def read(self) -> Value:
        """Return the number of threads in force."""
        value: int = imported_torch().get_num_threads()
        return value

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        self.restore(target.threads)

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        imported_torch().set_num_threads(saved)


THREADS = (TorchThreads(),)
