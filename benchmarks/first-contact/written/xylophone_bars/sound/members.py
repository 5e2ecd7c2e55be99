"""Members of the ensemble: each is trained in a process of its own on a bootstrap sample."""
import os
import tempfile
from pathlib import Path

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(40, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5))


def save(folder, index, model):
    """Writes a member in one piece: a reader never meets half a file."""
    handle, draft = tempfile.mkstemp(prefix="member_", suffix=".part", dir=folder)
    with os.fdopen(handle, "wb") as file:
        torch.save({"state": model.state_dict()}, file)
    os.replace(draft, Path(folder) / f"member_{index:02d}.pt")


def train_member(job):
    folder, index, seed, x, y, steps = job
    torch.set_num_threads(1)
    torch.manual_seed(seed * 1000 + index)
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    bag = torch.randint(len(x), (len(x),))
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        rows = bag[torch.randint(len(bag), (48,))]
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    save(folder, index, model)
    return index, loss.item()


def load_all(folder):
    models = []
    for path in sorted(Path(folder).glob("member_*.pt")):
        model = build()
        model.load_state_dict(torch.load(path, weights_only=True)["state"])
        models.append(model.eval())
    return models
