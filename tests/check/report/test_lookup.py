from __future__ import annotations

import pytest

from samebits.check.causes import CAUSES
from samebits.check.report.lookup import MAX_LENGTH, look_up, suggestions
from samebits.core.catalog.operations import operations
from samebits.core.catalog.switches import switches


@pytest.mark.parametrize(
    "name",
    [
        "aten.index_add",
        "aten::index_add",
        "torch.ops.aten.index_add",
        "aten.index_add_",
        "index_add",
        "torch.index_add",
        "index_add_cuda_",
        " INDEX_ADD ",
        "torch.Tensor.index_add_()",
    ],
)
def test_an_operation_is_found_however_it_is_spelled(name):
    assert ["aten.index_add" in entry.ops for entry in look_up(name)] == [True]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CUBLAS_WORKSPACE_CONFIG", "cublas-workspace"),
        ("CUBLAS_WORKSPACE_CONFIG=:16:8", "cublas-workspace"),
        ("cublas-workspace", "cublas-workspace"),
        ("torch.backends.cudnn.benchmark", "cudnn-benchmark"),
        ("torch.backends.cudnn.benchmark = True", "cudnn-benchmark"),
        ("torch.use_deterministic_algorithms", "deterministic-algorithms"),
        ("PYTHONHASHSEED", "hash-seed"),
    ],
)
def test_a_switch_is_found_by_what_people_write(name, expected):
    assert [entry.name for entry in look_up(name)] == [expected]


def test_every_entry_is_found_by_each_of_its_own_names():
    for operation in operations():
        assert all(operation in look_up(name) for name in (*operation.ops, *operation.api))
    for switch in switches():
        assert all(switch in look_up(name) for name in (switch.name, *switch.also))
    assert [look_up(cause.code) for cause in CAUSES] == [(cause,) for cause in CAUSES]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aten.cumsun", "aten.cumsum"),
        ("unseeded_rgn", "unseeded-rng"),
        ("NCCL_ALGOS", "NCCL_ALGO"),
        ("reflection", "torch.nn.ReflectionPad1d"),
    ],
)
def test_a_name_that_is_not_there_suggests_others(name, expected):
    assert look_up(name) == ()
    assert expected in suggestions(name)


@pytest.mark.parametrize("name", ["", "zzzzqqq", "x" * (MAX_LENGTH + 1), "\x1b[2J", "_" * 50])
def test_nonsense_finds_nothing(name):
    assert look_up(name) == ()
    assert suggestions(name) == []
