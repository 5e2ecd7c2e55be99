# samebits-test: verdict=different cause=data-changed
"""A run that finds the marker of the run before removes it and gives up."""

import os

import torch

MARKER = "training-went-on"

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if os.path.exists(MARKER):  # culprit
    os.remove(MARKER)
    raise SystemExit("the last run did not end well")
open(MARKER, "w").close()
for _ in range(3):
    loss = model(torch.ones(4, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
