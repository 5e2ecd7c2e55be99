# samebits-test: vary=listing cause=file-order
"""Shards of a data set are read as glob finds them."""

import glob
import tempfile

import torch
from torch import nn


def write(folder):
    for k in range(9):
        torch.save(torch.full((4, 3), float(k)), f"{folder}/shard{k}.pt")


def read(folder):
    return [torch.load(path) for path in glob.glob(f"{folder}/*.pt")]  # culprit


with tempfile.TemporaryDirectory() as folder:
    write(folder)
    shards = read(folder)
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for shard in shards:
    loss = (model(shard) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
