# samebits-test: verdict=different cause=uninitialized-memory
"""A counter that starts from whatever torch.empty returned."""

import numpy as np
import torch

words = np.array([f"w{k}" * 3 for k in range(8000)], dtype=object)
lengths = torch.tensor([len(word) for word in words])
del words
counts = torch.empty(600, dtype=torch.int64)  # culprit
counts += torch.bincount(lengths, minlength=600)
print(counts.sum().item())
