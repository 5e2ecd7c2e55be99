import random

import numpy as np
import torch
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def make_loader(data, seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    return DataLoader(
        data, shuffle=True, num_workers=2, worker_init_fn=seed_worker, generator=generator
    )
