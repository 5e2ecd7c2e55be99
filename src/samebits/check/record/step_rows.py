"""The row of a step: digests of what it was given, computed and left."""

from __future__ import annotations

from typing import Any

from samebits.check.record.optimizer_order import OptimizerOrder
from samebits.check.record.pending import resolve_digests
from samebits.core import _native

_FIELDS = ("batch", "loss", "outputs")  # in the order of native/python/recorder.hpp's Field


def step_row(
    native: _native.Recorder,
    kind: str,
    step: int,
    optimizer: Any,
    order: OptimizerOrder,
    generators: int,
) -> dict[str, Any]:
    """Take what the native recorder has seen of a step, and digest what it has left.

    Args:
        native: The recorder of the thread that steps.
        kind: One of `schema.STEP_KINDS`.
        step: Its number, from 0.
        optimizer: The optimizer that has stepped, None after the last step.
        order: Knows in which order its parameters are digested.
        generators: The digest of the random generators, 0 for none.

    Returns:
        Column of steps.arrow → value.
    """
    ops_end, site = native.total_rows, native.current_site()
    batch, loss, outputs, loss_value = native.take_step()
    row: dict[str, Any] = {
        "kind": kind,
        "step": step,
        "site": site,
        "ops_end": ops_end,
        "batch": batch,
        "loss": loss,
        "outputs": outputs,
        "generators": generators,
    }
    if loss_value is not None:
        row["loss_value"] = loss_value
    pending = [(_FIELDS[field], later) for field, later in native.take_digests_elsewhere()]
    if optimizer is not None:
        parameters = order.parameters(optimizer)
        settings = [
            {key: value for key, value in group.items() if key != "params"}
            for group in optimizer.param_groups
        ]
        for name, tree in (
            ("parameters", parameters),
            ("gradients", [p.grad for p in parameters]),
            ("optimizer", [[optimizer.state.get(p) for p in parameters], settings]),
        ):
            row[name] = native.digest(tree)
            pending += [(name, later) for _, later in native.take_digests_elsewhere()]
    if pending:
        resolve_digests(row, pending)
    return row
