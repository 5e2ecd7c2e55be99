# samebits-test: vary=workers cause=worker-rng
"""A stream is dealt to workers; with another number of them its order is another."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, stride = (0, 1) if info is None else (info.id, info.num_workers)
        for k in range(first, 60, stride):  # culprit
            yield torch.full((2,), k / 60)


torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in DataLoader(Numbers(), batch_size=5, num_workers=2):  # culprit
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
