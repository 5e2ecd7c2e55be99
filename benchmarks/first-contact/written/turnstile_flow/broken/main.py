"""People through the turnstiles of a station in the next quarter of an hour."""
import json
import time
from pathlib import Path

import torch
from torch import nn

from fit import moments, readout
from sizing import rows_at_once
from taps import make_taps

HERE = Path(__file__).resolve().parent
SEED, ROWS, WIDE, EPOCHS = 13, 160_000, 48, 3


class FlowNet(nn.Module):
    """Random cosines of the features, a linear readout, and a small correction to it."""

    def __init__(self, features):
        super().__init__()
        self.register_buffer("turn", torch.randn(features, WIDE))
        self.register_buffer("phase", 6.28 * torch.rand(WIDE))
        self.readout = nn.Linear(WIDE, 1)
        self.correct = nn.Sequential(nn.Linear(features, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 1))

    def waves(self, x):
        return torch.cos(x @ self.turn + self.phase)

    def forward(self, x):
        return (self.readout(self.waves(x)) + self.correct(x)).squeeze(-1)


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    x, y = make_taps(ROWS, SEED)
    chunk = rows_at_once(WIDE)
    print(f"{ROWS} quarters of an hour, {chunk} at once")
    mean, std = moments(x, chunk)
    x = (x - mean) / std
    model = FlowNet(x.shape[1])
    with torch.no_grad():
        weight = readout(model.waves, x, y, chunk)
        model.readout.weight.copy_(weight[:-1].T)
        model.readout.bias.copy_(weight[-1])
    print(f"readout fitted after {time.time() - began:.1f} s")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    curve = []
    for epoch in range(EPOCHS):
        for rows in torch.randperm(len(x))[:40_000].split(400):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        curve.append(loss.item())
        print(f"epoch {epoch} loss {loss.item():.5f}  {time.time() - began:.1f} s", flush=True)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "flow.pt")
    (out / "results.json").write_text(json.dumps({"curve": curve, "seconds": round(time.time() - began, 1)}))


if __name__ == "__main__":
    main()
