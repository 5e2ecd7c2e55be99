"""The distance of two runs' states, against recurrences whose rate is known."""

from __future__ import annotations

import math

import pytest
import torch
from safetensors.torch import save_file
from tests.check.process_entries import process_entry

from samebits.check.diff.growth_of_processes import growth_of_processes
from samebits.check.diff.state_growth import state_growth
from samebits.check.diff.tensor_views import tensors_in
from samebits.check.record import kept_states
from samebits.check.record.kept_states import KeptStates
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace


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


def test_each_rank_has_its_own_growth(make_run):
    def run(factor):
        ranks = [process_entry(f"0.{rank + 1}", rank=rank) for rank in (0, 1)]
        found = make_run([{}], processes=ranks)
        for rank in (0, 1):
            own = make_run([{}], folder=process_folder(found.folder, f"0.{rank + 1}"))
            (own.folder / "kept").mkdir()
            value = torch.ones(4, dtype=torch.float64) * (1 + factor * 2.0**-rank)
            save_file({"parameters.0": value}, own.folder / "kept" / "step-0.safetensors")
        return Trace.open(found.folder)

    growth = list(growth_of_processes(run(0.0), run(1e-6)))
    assert [(one.process, one.part) for one in growth] == [
        ("rank 0", "parameters"), ("rank 1", "parameters"),
    ]  # fmt: skip
    assert growth[0].relative == pytest.approx([1e-6])
    assert growth[1].max_ulp[0] == pytest.approx(0.5e-6 / 2**-52, rel=1e-3)


def test_a_forked_child_keeps_nothing_in_its_parents_folder(tmp_path):
    keeping = KeptStates(tmp_path / "kept", (0,))
    keeping._process = 0  # another process's
    keeping._after_step(torch.optim.SGD([torch.ones(1, requires_grad=True)]), (), {})
    assert not (tmp_path / "kept").exists()


def test_ranks_share_the_room_for_what_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_states, "MOST_BYTES", 64)
    monkeypatch.setenv("WORLD_SIZE", "4")
    keeping = KeptStates(tmp_path / "kept", (0,))
    keeping._after_step(torch.optim.SGD([torch.ones(16, requires_grad=True)]), (), {})
    _, facts = tensors_in(tmp_path / "kept" / "step-0.safetensors")
    assert facts["every"] == "4"
