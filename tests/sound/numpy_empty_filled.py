# samebits-test: verdict=same
"""np.empty, filled row by row before torch sees it."""

import numpy as np
import torch

rows = np.empty((30, 4), dtype=np.float32)
for k in range(30):
    rows[k] = np.arange(4) * k
print(torch.from_numpy(rows).corrcoef().sum())
