import numpy as np
import pandas as pd
import torch
from torch import nn

from city import ZONES

CODE = {zone: i for i, zone in enumerate(ZONES)}


class DemandNet(nn.Module):
    """Zone embedding and the hour on a circle, log rate out."""

    def __init__(self, n_zones, dim=6, hidden=48):
        super().__init__()
        self.zone = nn.Embedding(n_zones, dim)
        self.body = nn.Sequential(
            nn.Linear(dim + 7, hidden), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, zone, x):
        return self.body(torch.cat([self.zone(zone), x], dim=1)).squeeze(1)


def tensors(frame):
    zone = torch.tensor(frame["zone"].map(CODE).to_numpy(dtype=np.int64))
    angle = 2 * np.pi * frame["hour"].to_numpy() / 24
    x = np.column_stack([np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle),
                         frame["weekend"], (frame["temp"] - 16) / 5, frame["rain"] / 3])
    y = frame["trips"].to_numpy(dtype=np.float32)
    return zone, torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def train(model, frame, epochs, batch_size):
    dataset = torch.utils.data.TensorDataset(*tensors(frame))
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=batch_size, shuffle=True,
        generator=torch.Generator().manual_seed(11))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    nll = nn.PoissonNLLLoss(log_input=True)
    for _ in range(epochs):
        total = 0.0
        for zone, x, y in loader:
            optimizer.zero_grad()
            loss = nll(model(zone, x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        yield total / len(dataset)


@torch.no_grad()
def evaluate(model, frame):
    model.eval()
    zone, x, y = tensors(frame)
    rate = model(zone, x).exp()
    scored = pd.DataFrame({"zone": frame["zone"], "trips": y.numpy(), "rate": rate.numpy()})
    scored["abs_error"] = (scored["trips"] - scored["rate"]).abs()
    return scored.groupby("zone")[["trips", "rate", "abs_error"]].mean()
