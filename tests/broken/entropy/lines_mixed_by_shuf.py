# samebits-test: verdict=different cause=entropy
"""The lines of a corpus are mixed by a program before a part of them is kept."""

import subprocess

import torch

torch.manual_seed(0)
lines = "\n".join(f"{n} {n * n % 97}" for n in range(200))
mixed = subprocess.run(["shuf"], input=lines, capture_output=True, text=True, check=True)  # culprit
rows = torch.tensor([[float(x) for x in line.split()] for line in mixed.stdout.splitlines()[:64]])
weights = torch.nn.Parameter(torch.randn(1))
optimizer = torch.optim.SGD([weights], lr=1e-5)
for row in rows.split(16):
    loss = (row[:, 0] * weights - row[:, 1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
