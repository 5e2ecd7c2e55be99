"""The guard of the other tests must be able to fail."""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path

import numpy as np
import pytest
import torch

_spec = importlib.util.spec_from_file_location(
    "control_conftest", Path(__file__).with_name("conftest.py")
)
assert _spec is not None
assert _spec.loader is not None
guard = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(guard)


def test_sees_nothing_when_nothing_changed() -> None:
    assert guard.changed(guard.global_state(), guard.global_state()) == []


@pytest.mark.usefixtures("rng_put_back")
@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("python rng", random.random),
        ("numpy rng", np.random.rand),
        ("torch rng", lambda: torch.rand(1)),
    ],
)
def test_sees_one_draw(name: str, draw: object) -> None:
    before = guard.global_state()
    draw()  # type: ignore[operator]
    assert guard.changed(before, guard.global_state()) == [name]


def test_sees_a_flag_and_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    before = guard.global_state()
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    monkeypatch.setitem(os.environ, "NCCL_ALGO", "Tree")
    assert guard.changed(before, guard.global_state()) == ["cudnn.benchmark", "environment"]
