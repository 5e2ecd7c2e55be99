"""Curvature regression for simulated muon tracks, with cross validation over two folds."""
import gc
import os
import time

import torch
from torch import nn, optim

from folds import assign, holdout
from tracks import simulate

SEED = 57
DEBUG = os.environ.get("MUON_DEBUG", "") == "1"


class Fitter(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        _, last = self.rnn(x)
        return self.out(last[0]).squeeze(-1)


def to_tensors(tracks):
    hits = torch.tensor([t.hits for t in tracks])
    steps = torch.diff(hits, dim=1, prepend=torch.zeros(len(tracks), 1))
    x = torch.stack([hits * 2.0, steps * 5.0], dim=-1)
    y = torch.tensor([t.curvature for t in tracks]) * 100
    return x, y


def train_fold(train, test, epochs=3, batch=200):
    x, y = to_tensors(train)
    xt, yt = to_tensors(test)
    torch.manual_seed(SEED)
    model = Fitter()
    opt = optim.Adam(model.parameters(), lr=8e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(batch):
            loss = nn.functional.huber_loss(model(x[rows]), y[rows])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        residual = model(xt) - yt
    return model, residual.abs().mean().item()


def main():
    torch.use_deterministic_algorithms(True)
    t0 = time.perf_counter()
    tracks = simulate(4000, SEED)
    folds = assign(tracks)
    runs = {t.run for t in tracks}
    print("runs", *sorted(runs))
    models = {}
    for index in (0, 1):
        train, test = holdout(folds, index)
        model, error = train_fold(train, test)
        models[f"fold{index}"] = model.state_dict()
        if DEBUG:
            print(len(train), len(test), hex(id(model)))
        print(f"fold {index}: mean |residual| {error:.5f} /m")
        gc.collect()
    torch.save(models, "fitters.pt")
    print(f"done after {time.perf_counter() - t0:.1f} s")


if __name__ == "__main__":
    main()
