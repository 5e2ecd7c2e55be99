"""Records every sample of torch's own operator, module and optimizer databases into a run folder.

    MALLOC_PERTURB_=85 PYTHONHASHSEED=0 python operator_database.py FOLDER

Run twice with other bytes in fresh memory: rows that differ are operations whose outputs hold what
the allocator left there, and belong into samebits.core.catalog.memory.
"""

from __future__ import annotations

import random
import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

import samebits

# torch's test helpers import it for one decorator that is not used here.
sys.modules["expecttest"] = types.ModuleType("expecttest")
sys.modules["expecttest"].TestCase = unittest.TestCase  # type: ignore[attr-defined]

MOST_SAMPLES = 40


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    attempted = failed = 0
    with samebits.record(sys.argv[1]) as run:
        for calls in (operators(), modules(), optimizers()):
            for call in calls:
                attempted += 1
                try:
                    backward(call())
                except Exception:
                    failed += 1  # samples that are meant to fail, or that this machine cannot run
    print(attempted, failed, run.trace.count_ops())


def seed() -> None:
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def backward(result: Any) -> None:
    found = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor)]
    found = [x for x in found if x.requires_grad and x.is_floating_point()]
    if found:
        sum(x.sum() for x in found).backward()


def operators() -> Iterator[Any]:
    from torch.testing._internal.common_methods_invocations import op_db

    for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.complex64, torch.bool):
        for info in op_db:
            seed()
            if dtype not in info.dtypes:
                continue
            wants = dtype is torch.float32 and info.supports_autograd
            samples = iter(info.sample_inputs("cpu", dtype, requires_grad=wants))
            for _ in range(MOST_SAMPLES):
                try:
                    sample = next(samples)
                except Exception:  # the end, or a sample that cannot be made
                    break
                yield lambda i=info, s=sample: i(s.input, *s.args, **s.kwargs)


def modules() -> Iterator[Any]:
    from torch.testing._internal.common_modules import module_db

    def call(info: Any, given: Any, training: bool) -> Any:
        made = given.constructor_input
        module = info.module_cls(*made.args, **made.kwargs).train(training)
        return module(*given.forward_input.args, **given.forward_input.kwargs)

    for info in module_db:
        for training in (True, False):
            seed()
            try:
                inputs = info.module_inputs_func(
                    info, device="cpu", dtype=torch.float32, requires_grad=True, training=training
                )
            except Exception:
                continue
            for given in inputs:
                yield lambda i=info, g=given, t=training: call(i, g, t)


def optimizers() -> Iterator[Any]:
    from torch.testing._internal.common_optimizers import optim_db

    def train(kind: Any, settings: dict[str, Any]) -> None:
        seed()
        net = torch.nn.Sequential(torch.nn.Linear(7, 33), torch.nn.ReLU(), torch.nn.Linear(33, 5))
        optimizer = kind(net.parameters(), **settings)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = net(torch.ones(3, 7)).sum()
            loss.backward()
            return loss

        for _ in range(2):
            closure()
            optimizer.step(closure)

    for info in optim_db:
        for given in info.optim_inputs_func(device="cpu"):
            for way in ({}, {"foreach": True}, {"fused": True}):
                yield lambda i=info, g=given, w=way: train(i.optim_cls, {**g.kwargs, **w})


if __name__ == "__main__":
    main()
