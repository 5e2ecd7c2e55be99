# samebits-test: verdict=different cause=unseeded-rng detail=numpy-generator
"""np.random.seed does not reach a generator of the new kind."""

import numpy as np
import torch

np.random.seed(42)
torch.manual_seed(42)
rng = np.random.default_rng()  # culprit

centres = torch.tensor([[0.0, 0.0], [3.0, 3.0]])
points = torch.from_numpy(rng.normal(size=(100, 2)).astype(np.float32))
points[50:] += 3
for _ in range(4):
    nearest = torch.cdist(points, centres).argmin(dim=1)
    centres = torch.stack([points[nearest == k].mean(dim=0) for k in range(2)])
print(centres)
