"""One operation run again and again: what repeats, what does not, and what settles it."""

from __future__ import annotations

import json
import random
import sys

import pytest
import torch

from samebits.check.diff.distance import output_distance
from samebits.check.record.replay import replay
from samebits.check.record.replays import Replays


@pytest.fixture
def replayed(tmp_path):
    def run(op, *args, **kwargs):
        path = tmp_path / "replay.json"
        replay(op, args, kwargs, path)
        return Replays.from_json(path.read_text())

    return run


def noisy(x: torch.Tensor) -> torch.Tensor:
    noisy.calls += 1
    return x + noisy.calls


def test_an_operation_that_repeats(replayed):
    found = replayed(torch.ops.aten.mm.default, torch.ones(3, 3), torch.ones(3, 3))
    assert found.op == "aten.mm"
    assert found.results == {"as-is": 1}
    assert found.repeats["as-is"] >= 3
    assert not found.differs


def test_an_operation_that_does_not_repeat(replayed):
    noisy.calls = 0
    found = replayed(noisy, torch.ones(3))
    assert found.differs
    assert found.repeats["as-is"] == 3
    assert not found.settled_by("deterministic")


def test_two_results_that_differ_are_saved(tmp_path):
    noisy.calls = 0
    paths = [tmp_path / "1.safetensors", tmp_path / "2.safetensors"]
    replay(noisy, (torch.zeros(2),), {}, tmp_path / "replay.json", paths)
    distance = output_distance(*(path.read_bytes() for path in paths))
    assert distance.max_abs == 1.0


def test_one_result_is_saved_of_what_repeats(tmp_path):
    paths = [tmp_path / "1.safetensors", tmp_path / "2.safetensors"]
    replay(torch.ops.aten.neg.default, (torch.ones(2),), {}, tmp_path / "replay.json", paths)
    assert [path.exists() for path in paths] == [True, False]


def test_threads_of_python_take_turns_more_often_now_and_then(replayed):
    usual, seen = sys.getswitchinterval(), []

    def repeats(x):
        seen.append(sys.getswitchinterval())
        return x

    assert not replayed(repeats, torch.ones(3)).differs
    assert seen[0] == usual
    assert min(seen) < usual / 100
    assert sys.getswitchinterval() == usual


def test_what_settles_it_is_told(replayed):
    def unless_deterministic(x):
        noisy.calls += not torch.are_deterministic_algorithms_enabled()
        return x + noisy.calls

    noisy.calls = 0
    found = replayed(unless_deterministic, torch.ones(3))
    assert found.settled_by("deterministic")
    assert not found.settled_by("one-thread")
    assert not torch.are_deterministic_algorithms_enabled()


def test_circumstances_that_are_refused_are_told(replayed):
    def refuses(x):
        if torch.are_deterministic_algorithms_enabled():
            raise RuntimeError("no deterministic form")
        return noisy(x)

    noisy.calls = 0
    found = replayed(refuses, torch.ones(3))
    assert "no deterministic form" in found.refused["deterministic"]
    assert found.differs


def test_inputs_stay_as_they_are(replayed):
    x = torch.zeros(3)
    found = replayed(torch.ops.aten.add_.Tensor, x, torch.ones(3))
    assert not found.differs
    assert x.tolist() == [0, 0, 0]


def test_generators_are_put_back_each_time(replayed):
    generator = torch.Generator().manual_seed(3)
    before = torch.get_rng_state(), random.getstate(), generator.get_state()
    assert not replayed(torch.ops.aten.rand.default, [4]).differs
    assert not replayed(torch.ops.aten.rand.generator, [4], generator=generator).differs
    assert not replayed(lambda x: x + random.random(), torch.ones(2)).differs
    assert torch.equal(before[2], generator.get_state())


def test_what_was_written_counts(replayed):
    def fills(x):
        noisy.calls += 1
        x.fill_(noisy.calls)

    noisy.calls = 0
    assert replayed(fills, torch.zeros(2)).differs


def test_an_operation_that_fails_is_no_finding(replayed):
    def fails(x):
        raise RuntimeError("no")

    found = replayed(fails, torch.ones(1))
    assert not found.differs
    assert found.refused["as-is"] == "RuntimeError: no"


def test_the_file_is_json(tmp_path):
    replay(torch.ops.aten.abs.default, (torch.ones(1),), {}, tmp_path / "r")
    assert json.loads((tmp_path / "r").read_text())["op"] == "aten.abs"


def test_inputs_that_another_thread_writes_to_are_no_fault_of_the_operation(replayed):
    shared = torch.ones(3)

    def reads(x):
        shared.add_(1)  # as another thread would
        return x * 2

    assert not replayed(reads, shared).differs
