"""The distance of two runs' states, against recurrences whose rate is known."""

from __future__ import annotations

import math

import pytest
import torch
from safetensors.torch import save_file

from samebits.check.diff.state_growth import state_growth


@pytest.fixture
def kept(tmp_path):
    def keep(name, states):
        folder = tmp_path / name
        folder.mkdir()
        for step, tensors in states.items():
            save_file(tensors, folder / f"step-{step}.safetensors")
        return folder

    return keep


def test_a_known_recurrence_is_found(kept):
    # x ← 1.5 x, from two beginnings: their relative distance stays; a third quantity doubles.
    steps = [0, 1, 2, 4, 8, 16]
    base = torch.linspace(1, 2, 1000, dtype=torch.float64)
    a = {n: {"parameters.0": base * 1.5**n, "optimizer.0.m": base} for n in steps}
    b = {
        n: {"parameters.0": base * 1.5**n * (1 + 1e-9), "optimizer.0.m": base * (1 + 1e-9 * 2**n)}
        for n in steps
    }
    parameters, optimizer = state_growth(kept("a", a), kept("b", b))
    assert (parameters.part, optimizer.part) == ("parameters", "optimizer")
    assert parameters.steps == tuple(steps)
    assert parameters.relative == pytest.approx([1e-9] * 6, rel=1e-4)
    assert parameters.doubling is None
    assert optimizer.relative == pytest.approx([1e-9 * 2**n for n in steps], rel=1e-4)
    assert optimizer.doubling == pytest.approx(1.0, rel=1e-4)
    assert parameters.differing == pytest.approx([1.0] * 6, abs=0.2)


def test_only_steps_and_tensors_that_both_kept_count(kept):
    a = {0: {"gradients.0": torch.ones(3)}, 1: {"gradients.0": torch.ones(3)}}
    b = {1: {"gradients.0": torch.ones(4), "gradients.1": torch.ones(3)}, 2: {}}
    assert state_growth(kept("a", a), kept("b", b)) == []


def test_no_folder_is_nothing(tmp_path):
    assert state_growth(tmp_path / "x", tmp_path / "y") == []


def test_what_is_no_finite_number_has_no_distance(kept):
    a = {0: {"parameters.0": torch.tensor([math.nan, 1.0])}}
    b = {0: {"parameters.0": torch.tensor([1.0, 1.0])}}
    (found,) = state_growth(kept("a", a), kept("b", b))
    assert math.isnan(found.relative[0])
    assert found.differing == (0.5,)
    assert found.doubling is None


def test_the_number_of_steps_taken_hides_no_distance(kept):
    def state(far):
        return {
            n: {
                "optimizer.0.exp_avg": torch.full((4,), 1e-3 * far, dtype=torch.float64),
                "optimizer.0.step": torch.tensor(float(1000 + n), dtype=torch.float64),
            }
            for n in range(2)
        }

    (found,) = state_growth(kept("a", state(1.0)), kept("b", state(1.5)))
    assert found.relative == pytest.approx([0.5, 0.5])
    assert found.differing == (1.0, 1.0)
