"""Deep hedging of a down-and-out call: one network rebalances, the expected shortfall of the rest is minimised."""
import json
import logging
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from market import STEPS, PathSource

SEED = 41
STRIKE, BARRIER, COST = 100.0, 85.0, 5e-4

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("hedge")


class Hedger(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))
        self.premium = nn.Parameter(torch.tensor(5.0))

    def forward(self, s, v):
        position = torch.zeros(len(s))
        gain = torch.zeros(len(s))
        lowest = s[:, 0]
        for t in range(STEPS):
            lowest = torch.minimum(lowest, s[:, t])
            alive = (lowest > BARRIER).float()
            left = torch.full_like(position, 1 - t / STEPS)
            x = torch.stack([torch.log(s[:, t] / STRIKE) * 5, v[:, t].sqrt() * 5, left, position, alive], 1)
            target = torch.sigmoid(self.net(x)).squeeze(1) * alive
            gain = gain - COST * s[:, t] * (target - position).abs() + target * (s[:, t + 1] - s[:, t])
            position = target
        lowest = torch.minimum(lowest, s[:, -1])
        payoff = torch.relu(s[:, -1] - STRIKE) * (lowest > BARRIER)
        return self.premium + gain - payoff


def shortfall(pnl, premium, level=0.9):
    worst = pnl.sort().values[: int(len(pnl) * (1 - level))]
    return -worst.mean() + premium


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    source = PathSource(SEED)
    model = Hedger()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 45, 0.5)
    began = time.time()
    for it in range(1, 121):
        pnl = model(*source.draw(1024))
        loss = shortfall(pnl, model.premium.detach()) + pnl.mean().pow(2)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step()
        if it % 40 == 0:
            log.info("iteration %d loss %.4f, %.0f paths/s", it, loss.item(), it * 1024 / (time.time() - began))

    with torch.no_grad():
        test = PathSource(SEED + 1000)
        pnl = torch.cat([model(*test.draw(4096)) for _ in range(2)])
    result = {
        "premium": model.premium.item(),
        "mean": pnl.mean().item(),
        "std": pnl.std().item(),
        "shortfall": shortfall(pnl, 0.0).item(),
    }
    Path("results").mkdir(exist_ok=True)
    torch.save(model.state_dict(), "results/hedger.pt")
    Path("results/summary.json").write_text(json.dumps({"finished": time.ctime(), "result": result}, indent=2))
    print("RESULT", " ".join(f"{k}={v:.6f}" for k, v in result.items()))


if __name__ == "__main__":
    main()
