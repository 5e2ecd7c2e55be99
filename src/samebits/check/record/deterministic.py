"""torch's determinism switches in a process of a run under control."""

from __future__ import annotations

from samebits.check.record.plan import RunPlan
from samebits.training.control import deterministic


def make_deterministic(plan: RunPlan) -> None:
    """Set them, where the run is under control; torch is imported.

    An operation without a deterministic form warns and does not raise: it must not end a script
    that `samebits run` promised to leave alone. The warning and the recorded rows tell.

    Args:
        plan: How the run was asked for.
    """
    if plan.control:
        deterministic("warn", threads=plan.pinned_threads)
