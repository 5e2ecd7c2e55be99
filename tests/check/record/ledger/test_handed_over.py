"""Lines that hand weights to another thread which go on being trained."""

from __future__ import annotations

import copy
import io
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
import torch


@dataclass
class Published:
    version: int
    weights: dict


@pytest.fixture
def handed_over(watch):
    """What a recorded function is noted to hand over."""

    def details(fn):
        rows = watch(fn, level="op").trace.ledger()
        return [row.detail for row in rows if row.source == "hand-over"]

    return details


@pytest.fixture
def trained():
    """A model whose optimizer makes a step."""

    def step(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        return optimizer

    return step


@pytest.mark.parametrize(
    ("hand_over", "noted"),
    [
        (lambda model: model, True),
        (copy.copy, True),
        (lambda model: (3, {"weights": model.state_dict()}), True),
        (lambda model: [model.weight.detach()], True),
        (lambda model: Published(3, model.state_dict()), True),
        (lambda model: Published(3, copy.deepcopy(model.state_dict())), False),
        (lambda model: [{"weight": model.weight.detach().numpy()}], True),
        (lambda model: [model.weight.detach().numpy().copy()], False),
        (copy.deepcopy, False),
        (lambda model: copy.deepcopy(model.state_dict()), False),
        (lambda model: (3, "weights"), False),
    ],
    ids=[
        *("model", "shallow", "state", "detached", "dataclass", "copy in a dataclass"),
        *("array", "copied array"),
        *("deep", "deep state", "number"),
    ],
)
def test_weights_that_are_no_copies_are_noted(handed_over, trained, hand_over, noted):
    jobs, model = queue.Queue(), torch.nn.Linear(2, 1)

    def work():
        optimizer = trained(model)
        jobs.put(hand_over(model))
        return optimizer

    assert handed_over(work) == ["Queue.put"] * noted


@pytest.mark.parametrize("of", [torch.nn.Module.state_dict, copy.deepcopy])
def test_a_thread_that_is_made_with_weights_is_noted(handed_over, trained, of):
    model = torch.nn.Linear(2, 1)

    def work():
        optimizer = trained(model)
        thread = threading.Thread(target=print, args=(3, of(model)), kwargs={"file": io.StringIO()})
        thread.start()
        thread.join()
        return optimizer

    assert handed_over(work) == ["Thread.__init__"] * (of is not copy.deepcopy)


def test_pools_of_threads_are_given_weights_as_well(handed_over, trained):
    model = torch.nn.Linear(2, 1)

    def work():
        optimizer = trained(model)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(len, [model])
        return optimizer

    assert handed_over(work) == ["ThreadPoolExecutor.submit"]


def test_what_nobody_trains_is_not_noted(handed_over):
    assert handed_over(lambda: queue.Queue().put(torch.nn.Linear(2, 1))) == []
