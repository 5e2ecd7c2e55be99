# samebits-test: verdict=same
"""Parameters without decay are told by membership of a set of tensors."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 1))
no_decay = {p for p in model.parameters() if p.ndim == 1}
groups = [
    {"params": [p for p in model.parameters() if p not in no_decay], "weight_decay": 0.1},
    {"params": [p for p in model.parameters() if p in no_decay], "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(groups, lr=0.01)
for _ in range(3):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
