"""Estimates how far training gets in the time that the microscope PC is free."""

import copy
import time
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Advice:
    seconds_per_image: float
    steps: float

    def __str__(self):
        return f"{1e3 * self.seconds_per_image:.2f} ms per image, about {self.steps:.0f} steps in the time allowed"


def advise(model, image_shape, batch_size, seconds, repeats=4):
    """Times forward and backward passes on a copy of the model."""
    twin = copy.deepcopy(model)
    probe = torch.zeros(batch_size, *image_shape)
    labels = torch.zeros(batch_size, dtype=torch.long)
    spent = []
    for _ in range(repeats):
        began = time.perf_counter()
        nn.functional.cross_entropy(twin(probe), labels).backward()
        spent.append(time.perf_counter() - began)
    per_step = sorted(spent)[len(spent) // 2]
    return Advice(per_step / batch_size, seconds / per_step)
