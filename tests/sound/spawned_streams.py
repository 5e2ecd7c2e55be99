# samebits-test: verdict=same
"""Streams for each fold, spawned from one seeded sequence."""

import numpy as np
import torch

streams = [np.random.default_rng(s) for s in np.random.SeedSequence(99).spawn(4)]
x = torch.linspace(0, 1, 40)
print([x[torch.from_numpy(s.permutation(40)[:10])].mean().item() for s in streams])
