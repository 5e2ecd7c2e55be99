"""Verdicts to render."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from samebits.check.diff.verdict import Cause, Divergence, RunSummary, Verdict

SCRIPT = """\
import torch

def build():
    layers = [
        torch.nn.Linear(8, 4),
    ]
    return torch.nn.Sequential(*layers)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """train.py in the current directory; line 5 makes the layer."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def make_run() -> Callable[..., RunSummary]:
    def make(number: int = 1, **changes: Any) -> RunSummary:
        facts: dict[str, Any] = {
            "folder": f"runs/run-{number}",
            "steps": 30,
            "ops": 21540,
            "exit_code": 0,
            "seconds": 4.125,
        }
        return RunSummary(**{**facts, **changes})

    return make


@pytest.fixture
def make_divergence() -> Callable[..., Divergence]:
    def make(**changes: Any) -> Divergence:
        facts: dict[str, Any] = {
            "kind": "output",
            "step": 0,
            "phase": "setup",
            "op": "aten.uniform_",
            "module": "fc1",
            "file": "train.py",
            "line": 5,
            "function": "build",
            "signature": "float32[4, 8]",
            "max_abs": 0.1,
            "max_ulp": 12345,
            "random": True,
        }
        return Divergence(**{**facts, **changes})

    return make


@pytest.fixture
def make_cause() -> Callable[..., Cause]:
    def make(**changes: Any) -> Cause:
        facts: dict[str, Any] = {
            "code": "unseeded-rng",
            "detail": "torch-cpu",
            "file": "train.py",
            "line": 5,
            "evidence": "The runs agree when torch's generator is seeded.",
            "fix": "torch.manual_seed(0)",
            "confidence": "proved",
        }
        return Cause(**{**facts, **changes})

    return make


@pytest.fixture
def make_verdict(make_run, make_divergence, make_cause) -> Callable[..., Verdict]:
    def make(verdict: str = "different", **changes: Any) -> Verdict:
        facts: dict[str, Any] = {"verdict": verdict, "runs": (make_run(1), make_run(2))}
        if verdict == "different":
            facts |= {"first_divergence": make_divergence(), "causes": (make_cause(),)}
        return Verdict(**{**facts, **changes})

    return make
