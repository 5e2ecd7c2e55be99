"""Trees: names, structure and values count; order of insertion, process and hash seed do not."""

from __future__ import annotations

import dataclasses
import enum
import os
import subprocess
import sys
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
import torch

import samebits.core.fingerprint
from samebits.core.fingerprint.tensor import fingerprint_tensor
from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import UsageError

Point = namedtuple("Point", "x y")
Pixel = namedtuple("Pixel", "x y")


@dataclasses.dataclass
class Settings:
    rate: float
    sizes: list[int]


def test_a_tensor_alone_is_its_own_fingerprint() -> None:
    tensor = torch.arange(5)
    assert fingerprint(tensor) == f"{fingerprint_tensor(tensor):016x}"
    assert samebits.fingerprint(tensor) == fingerprint(tensor)


DIFFERENT: list[Any] = [
    None, False, True, 0, 1, -1, 255, 256, -256, 2**63, 2**64, 10**50, 0.0, -0.0, 1.0,
    float("nan"), float("inf"), 0j, 1j, complex(-0.0, 0.0), "", "a", "\ud800", "none", b"", b"a",
    [], [[]], [None], (), (1,), [1], {1}, {}, {1: 2}, {"1": 2}, {2: 1}, {"a": {"b": 1}},
    {"a": 1, "b": 2}, {"a": 2, "b": 1}, [1, 2], [2, 1], [[1], 2], [1, [2]],
    torch.float32, torch.float64, torch.device("cpu"), torch.device("cuda:0"),
    torch.tensor(1), torch.tensor(1.0), torch.tensor([1.0]), np.zeros(3), np.zeros(3, ">i4"),
    Point(1, 2), Pixel(1, 2), Settings(1, [1]), Settings(1.0, [1]), {"rate": 1.0, "sizes": [1]},
    np.array(["ab"]), np.array([b"ab"]), np.array(["2020-01-01"], "M8[D]"),
    np.array(["2020-01-01"], "M8[s]"),
]  # fmt: skip


def test_different_things_differ() -> None:
    prints = [fingerprint(obj) for obj in DIFFERENT]
    assert len(set(prints)) == len(prints)
    assert all(len(one) == 16 and set(one) <= set("0123456789abcdef") for one in prints)


SAME: list[tuple[Any, Any]] = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, OrderedDict(a=1)),
    ({3, 1, 2}, frozenset({2, 3, 1})),
    (np.arange(6.0).reshape(2, 3), torch.arange(6.0, dtype=torch.float64).reshape(2, 3)),
    (np.arange(6, dtype=">i4"), np.arange(6, dtype="<i4")),
    (np.float64(0.5), torch.tensor(0.5, dtype=torch.float64)),
    (np.arange(6)[::-2], np.array([5, 3, 1])),
    (np.zeros(3, "i1,f8")["f1"], np.zeros(3)),
    (torch.Size([1, 2]), (1, 2)),
    (bytearray(b"x"), b"x"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_in_another_form(a: Any, b: Any) -> None:
    assert fingerprint(a) == fingerprint(b)


def model(seed: int = 0) -> torch.nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))


def test_modules_count_as_their_state() -> None:
    first = model()
    assert fingerprint(first) == fingerprint(model()) == fingerprint(first.state_dict())
    assert fingerprint(first) != fingerprint(model(seed=1))
    with torch.no_grad():
        first[1].running_mean[2] += 1  # a buffer
    assert fingerprint(first) != fingerprint(model())


def test_names_of_parameters_count() -> None:
    layer = torch.nn.Linear(2, 2)
    names = [torch.nn.ModuleDict({name: layer}) for name in ("a", "b")]
    assert fingerprint(names[0]) != fingerprint(names[1])


def test_optimizers_count_as_their_state() -> None:
    def step(rate: float) -> torch.optim.Optimizer:
        network = model()
        optimizer = torch.optim.AdamW(network.parameters(), lr=rate)
        network(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        return optimizer

    assert fingerprint(step(0.1)) == fingerprint(step(0.1))
    assert fingerprint(step(0.1)) != fingerprint(step(0.2))
    scheduler = torch.optim.lr_scheduler.StepLR(step(0.1), 3)
    assert fingerprint({"model": model(), "scheduler": scheduler})


def test_generators_count_as_their_state() -> None:
    first, second = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    assert fingerprint(first) == fingerprint(second)
    torch.rand(1, generator=first)
    assert fingerprint(first) != fingerprint(second)


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ({"a": [1, object()]}, r"object\['a'\]\[1\] is a builtins.object"),
        (lambda: None, r"the object is a builtins.function"),
        ([Settings(1.0, [Colour.RED])], r"object\[0\]\.sizes\[0\] is a .*Colour"),
        ({Colour.RED: 1}, r"object key is a .*Colour"),
        ([torch.empty(2, device="meta")], r"object\[0\]: a meta tensor"),
        (np.array([object()]), r"array of object"),
        (np.zeros(2, "i4,f8"), r"array of \[\('f0'"),
        (np.zeros(2, np.longdouble), r"array of (longdouble|float128|float96)"),
        (torch.nn.Linear, r"the object is a builtins.type"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_has_no_fingerprint_is_named(obj: Any, message: str) -> None:
    if isinstance(obj, np.ndarray) and obj.dtype.itemsize == 8 and obj.dtype.kind == "f":
        pytest.skip("long double is double here")
    with pytest.raises(UsageError, match=message):
        fingerprint(obj)


def test_cycles_and_depths_end_clearly() -> None:
    cycle: dict[str, Any] = {"inner": {}}
    cycle["inner"]["outer"] = cycle
    with pytest.raises(UsageError, match=r"object\['inner'\]\['outer'\] is the same object as the"):
        fingerprint(cycle)
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(UsageError, match="more than 200 levels deep"):
        fingerprint(deep)
    shared = [1]
    assert fingerprint([shared, shared]) == fingerprint([[1], [1]])


PURE = """
import sys
from samebits.core.fingerprint.tree import fingerprint
print(fingerprint({"b": {1, "x", 2.5}, "a": frozenset("hello"), (1, None): b"z"}))
assert "torch" not in sys.modules
"""


def test_hash_seed_does_not_matter_and_torch_is_not_needed() -> None:
    prints = {
        subprocess.run(
            [sys.executable, "-c", PURE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(prints) == 1
