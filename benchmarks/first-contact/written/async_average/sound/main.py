"""Two-moons with a moving average of the weights, then the mean of the last checkpoints."""
import math

import torch
from torch import nn

from callbacks import EMA, Checkpoints, Progress


class Loop:
    def __init__(self, model, callbacks):
        self.model, self.callbacks, self.step, self.loss = model, callbacks, 0, math.nan

    def tell(self, event):
        for c in self.callbacks:
            getattr(c, event)(self)

    def run(self, x, y, steps):
        opt = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        self.tell("on_start")
        for self.step in range(1, steps + 1):
            idx = torch.randint(len(x), (64,))
            out = nn.functional.cross_entropy(self.model(x[idx]), y[idx], label_smoothing=0.05)
            opt.zero_grad()
            out.backward()
            opt.step()
            self.loss = out.item()
            self.tell("on_step")
        self.tell("on_end")


def moons(n):
    angle = torch.rand(n) * math.pi
    y = torch.randint(2, (n,))
    x = torch.stack([torch.cos(angle) + y, torch.sin(angle) * (1 - 2 * y) + 0.4 * y], 1)
    return x + 0.15 * torch.randn_like(x), y


def main():
    torch.manual_seed(12)
    x, y = moons(1000)
    model = nn.Sequential(nn.Linear(2, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.1),
                          nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    ema, saves = EMA(0.98), Checkpoints("run/checkpoints", every=25)
    Loop(model, [ema, saves, Progress()]).run(x, y, 200)

    paths = sorted(saves.folder.glob("*.pt"))[-4:]
    states = [torch.load(p) for p in paths]
    mean = {k: torch.stack([s[k].double() for s in states]).mean(0).to(states[0][k].dtype) for k in states[0]}
    model.load_state_dict(mean)
    model.eval()
    with torch.no_grad():
        scores = [nn.functional.cross_entropy(m(x), y).item() for m in (ema.model, model)]
    torch.save({"ema": ema.model.state_dict(), "mean": mean}, "run/final.pt")
    print("final ema", scores[0], "mean of", [p.stem for p in paths], scores[1])


if __name__ == "__main__":
    main()
