"""The tensors in what is saved, apart from everything else."""

from __future__ import annotations

import argparse
import dataclasses
from datetime import datetime

import numpy as np
import torch
from torch import nn

from samebits import fingerprint
from samebits.core.fingerprint.contents import tensors_in


def places(obj):
    return {place: [tuple(t.shape) for t in found] for place, found in tensors_in(obj).items()}


def test_a_checkpoint_with_a_date():
    content = {
        "model": nn.Linear(3, 2).state_dict(),
        "made": datetime(2024, 2, 3),
        "args": argparse.Namespace(lr=0.1),
        "epoch": 4,
        "means": (np.zeros(5), [torch.zeros(())]),
    }
    assert places(content) == {
        "['model']['weight']": [(2, 3)],
        "['model']['bias']": [(2,)],
        "['means'][0]": [(5,)],
        "['means'][1][0]": [()],
    }


def test_other_plain_values_leave_the_fingerprint_of_the_tensors():
    early, late = ({"w": torch.ones(2), "time": t, "names": np.array(["a"])} for t in (1.5, 2.5))
    assert fingerprint(tensors_in(early)) == fingerprint(tensors_in(late))
    other = {"w": torch.zeros(2), "time": 1.5}
    assert fingerprint(tensors_in(early)) != fingerprint(tensors_in(other))


def test_objects_with_state():
    @dataclasses.dataclass
    class Both:
        model: nn.Module
        mean: torch.Tensor

    assert places(Both(nn.Linear(1, 1, bias=False), torch.zeros(4))) == {
        ".model['weight']": [(1, 1)],
        ".mean": [(4,)],
    }
    assert places(nn.ReLU) == {}


def test_keys_without_a_name_share_a_place():
    assert places({None: torch.zeros(1), (1, 2): torch.zeros(2)}) == {
        "[NoneType]": [(1,)],
        "[tuple]": [(2,)],
    }
    assert places({(1,): torch.zeros(1), (2,): torch.zeros(2)}) == {"[tuple]": [(1,), (2,)]}


def test_what_contains_itself_ends():
    content = {"w": torch.zeros(1)}
    content["self"] = content
    assert places(content) == {"['w']": [(1,)]}
    deep = torch.zeros(1)
    for _ in range(400):
        deep = [deep]
    assert places(deep) == {}
