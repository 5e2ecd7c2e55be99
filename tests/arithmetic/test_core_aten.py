"""Core ATen, the operations to which torch takes programs apart: each is covered for float32."""

from __future__ import annotations

import pytest
import torch

from samebits.arithmetic import registry
from samebits.arithmetic.listing import COMPOSED, MISSING, Listed, core_aten, listed

COMING = {"aten.acos", "aten.asin", "aten.atan", "aten.atan2", "aten.atan2.out"}
"""Not covered yet."""


def uncovered(operations: list[Listed]) -> set[str]:
    """The names of operations that are refused for float32."""
    return {
        one.operation
        for one in operations
        if one.how == MISSING or (one.how != COMPOSED and "float32" not in one.dtypes)
    }


def test_every_operation_of_core_aten_is_covered_for_float32():
    operations = core_aten()
    names = {one.operation.split(".")[1] for one in operations}
    assert len(names) >= 150, "torch marks its core otherwise than it did"
    assert uncovered(operations) <= COMING


def test_what_is_not_covered_is_noticed(monkeypatch):
    aten = torch.ops.aten
    monkeypatch.delitem(registry.SAFE, "aten.cat")
    monkeypatch.setitem(registry.SAFE, "aten.stack", registry.WHOLE)
    operations = [listed(op) for op in (aten.cat.default, aten.stack.default, aten.exp.default)]
    assert uncovered(operations) == {"aten.cat", "aten.stack"}


@pytest.mark.parametrize("name", ["aten._pdist_forward", "aten.bitwise_xor.Scalar"])
def test_core_operations_are_known_by_name(name):
    assert name in {one.operation for one in core_aten()}
