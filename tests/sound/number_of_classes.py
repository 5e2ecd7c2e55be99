# samebits-test: verdict=same
"""Only the size of a set reaches the model."""

import torch
from torch import nn

labels = ["cat", "dog", "cat", "emu", "dog"]
torch.manual_seed(0)
head = nn.Linear(4, len(set(labels)))
print(head(torch.ones(1, 4)))
