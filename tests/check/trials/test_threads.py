"""Trainings on other threads: their steps are compared, in whatever order threads take them up."""

from __future__ import annotations

import textwrap

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

FOLDS = """
from concurrent.futures import ThreadPoolExecutor
import secrets, torch

torch.set_num_threads(1)
main = torch.nn.Parameter(torch.ones(2))
first = torch.optim.SGD([main], lr=0.1)  # imports what optimizers need, before threads do

def train(fold):
    generator = torch.Generator().manual_seed(SEED)
    weight = torch.nn.Parameter(torch.empty(4).uniform_(-1, 1, generator=generator))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    data = torch.randn(64, 4, generator=generator)
    for batch in data.split(2):
        optimizer.zero_grad()
        (batch @ weight).square().mean().backward()
        optimizer.step()

with ThreadPoolExecutor(3) as pool:
    list(pool.map(train, range(8)))
for _ in range(3):
    first.zero_grad()
    main.square().sum().backward()
    first.step()
"""


@pytest.fixture
def checked(tmp_path):
    def run(source: str):
        script = tmp_path / "train.py"
        script.write_text(textwrap.dedent(source))
        plan = RunPlan(capture_output=True)
        return check(Target(script=script), plan=plan, out=tmp_path / "runs", limits=Limits(runs=0))

    return run


def test_trainings_of_a_pool_agree_in_whatever_order(checked, tmp_path):
    verdict = checked(FOLDS.replace("SEED", "fold"))
    assert verdict.verdict == "same", (verdict.first_divergence, verdict.not_compared)
    assert [run.steps for run in verdict.runs] == [3, 3]
    threads = verdict.runs[0].processes
    assert sum(thread.steps for thread in threads) == 8 * 32
    assert {thread.name.partition(" of ")[2] for thread in threads} == {
        "the thread pool made at train.py:19"
    }


def test_a_training_on_another_thread_that_differs_is_different(checked):
    verdict = checked(FOLDS.replace("SEED", "fold if fold < 7 else secrets.randbits(30)"))
    assert verdict.verdict == "different"
    found = verdict.first_divergence
    assert (found.kind, found.op, found.line) == ("output", "aten.uniform_", 11)
    assert found.process.endswith("of the thread pool made at train.py:19")


PREFETCH = """
import queue, threading, time
import torch

batches = queue.Queue(2)

def load():
    generator = torch.Generator().manual_seed(3)
    for _ in range(6):
        batches.put(torch.randn(8, 4, generator=generator) * SCALE)
    batches.put(None)

threading.Thread(target=load, daemon=True).start()
weight = torch.ones(4)
while (batch := batches.get()) is not None:
    weight = weight + batch.mean(0)
print(weight.sum().item())
"""


def test_what_a_thread_loads_ahead_is_the_same(checked):
    verdict = checked(PREFETCH.replace("SCALE", "2"))
    assert verdict.verdict == "same", verdict.first_divergence
    (thread,) = verdict.runs[0].processes
    assert (thread.name, thread.is_thread) == ("the thread started at train.py:13", True)


def test_a_thread_that_differs_is_named_before_those_who_use_what_it_made(checked):
    verdict = checked(PREFETCH.replace("SCALE", "(time.time_ns() % 1000003)"))
    assert verdict.verdict == "different"
    found = verdict.first_divergence
    assert (found.op, found.line) == ("aten.mul.Tensor", 10)
    assert found.process == "the thread started at train.py:13"
    assert found.is_on_own_thread


def test_what_another_thread_has_changed_is_told_as_that(checked):
    verdict = checked(
        """
        import numpy as np, threading, time, torch
        memory = np.zeros(4, dtype=np.float32)
        shared = torch.from_numpy(memory)
        shared.add_(1)
        def work():
            torch.ones(1)
            memory[0] = time.time_ns() % 1000003
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print((shared * 0).sum().item(), (shared * 2).argmax().item())
        """
    )
    found = verdict.first_divergence
    assert verdict.verdict == "different"
    assert "another thread changed the inputs" in found.detail, found.detail
    assert found.has_unexplained_inputs
    assert not found.is_own_doing
