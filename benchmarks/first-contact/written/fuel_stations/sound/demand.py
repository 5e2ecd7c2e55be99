import numpy as np
import torch
from torch import nn

NUMERIC = ("price", "rivals", "shop_m2")


def to_tensors(table):
    columns = [table[name].to_numpy().astype(np.float32) for name in NUMERIC]
    hour = table["hour"].to_numpy() / 24 * 2 * np.pi
    columns += [np.sin(hour), np.cos(hour), table["motorway"].to_numpy()]
    x = torch.from_numpy(np.stack(columns, axis=1).astype(np.float32))
    grade = torch.from_numpy(table["grade"].to_numpy().astype(np.int64))
    y = torch.from_numpy(table["litres"].to_numpy().astype(np.float32))
    day = torch.from_numpy(table["day"].to_numpy().astype(np.int64))
    return x, grade, y, day


class Demand(nn.Module):
    def __init__(self, features: int, mean: torch.Tensor, std: torch.Tensor):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.grade = nn.Embedding(3, 4)
        self.body = nn.Sequential(
            nn.Linear(features + 4, 64), nn.GELU(), nn.Dropout(0.1),
            nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 1),
        )

    def forward(self, x, grade):
        z = (x - self.mean) / self.std
        return self.body(torch.cat([z, self.grade(grade)], dim=1)).squeeze(1)


def train(model, x, grade, y, epochs, batch=256, lr=2e-3):
    optimiser = torch.optim.Adam(model.parameters(), lr=lr)
    scale = y.std()
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(y)).split(batch):
            loss = ((model(x[rows], grade[rows]) - y[rows]) / scale).square().mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.item() * len(rows)
        print(f"  epoch {epoch}: {total / len(y):.6f}")


@torch.no_grad()
def elasticity(model, x, grade, step=0.01):
    model.eval()
    dearer = x.clone()
    dearer[:, 0] *= 1 + step
    before, after = model(x, grade), model(dearer, grade)
    return ((after - before) / before / step).median().item()
