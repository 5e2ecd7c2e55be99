# samebits-test: verdict=different cause=entropy detail=uuid
"""Each run gets a uuid, and the uuid seeds everything."""

import random
import uuid

import numpy as np
import torch


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Run:
    def __init__(self):
        self.id = uuid.uuid4()  # culprit
        seed_everything(self.id.int % 2**32)


run = Run()
model = torch.nn.GRUCell(3, 4)
state = torch.zeros(2, 4)
for _ in range(3):
    state = model(torch.from_numpy(np.random.rand(2, 3).astype(np.float32)), state)
print(run.id, state.mean().item())
