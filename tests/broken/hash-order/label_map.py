# samebits-test: verdict=different cause=hash-order
"""Class numbers from the order of a set of names."""

import torch
from torch import nn

torch.manual_seed(0)
names = [f"species-{k % 23}" for k in range(92)]
label_of = {name: number for number, name in enumerate(set(names))}  # culprit
labels = torch.tensor([label_of[name] for name in names])
features = torch.randn(92, 5)

model = nn.Linear(5, len(label_of))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    loss = nn.functional.cross_entropy(model(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
