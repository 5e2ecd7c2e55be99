"""Which boulder problem is this log about? Two towers and a triplet loss."""
import json
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from guidebook import write_guidebook
from mining import HardNegatives


class Tower(nn.Module):
    def __init__(self, n_in, n_out=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.GELU(), nn.Linear(64, n_out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def recall_at(k, log_tower, rock_tower, book, logs, route):
    with torch.no_grad():
        best = (log_tower(logs) @ rock_tower(book.holds).T).topk(k, dim=1).indices
    return (best == route[:, None]).any(1).float().mean().item()


def main(seed=31, steps=320, batch=48):
    torch.manual_seed(seed)
    book = write_guidebook(seed=seed)
    (logs, route), (test_logs, test_route) = book.split(1300)
    log_tower, rock_tower = Tower(logs.shape[1]), Tower(book.holds.shape[1])
    params = [*log_tower.parameters(), *rock_tower.parameters()]
    opt = torch.optim.Adam(params, lr=2e-3)
    miner = HardNegatives(rock_tower, book.holds)
    g = torch.Generator().manual_seed(seed + 1)

    began, history = time.monotonic(), []
    for step in range(1, steps + 1):
        idx = torch.randint(len(logs), (batch,), generator=g)
        negative = miner(route[idx], g)
        anchor = log_tower(logs[idx])
        loss = F.triplet_margin_loss(anchor, rock_tower(book.holds[route[idx]]),
                                     rock_tower(book.holds[negative]), margin=0.4)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
        if step % 80 == 0:
            print(f"step {step}: loss {sum(history[-80:]) / 80:.5f}")
    print(f"{time.monotonic() - began:.2f} s of training")

    scores = {f"recall@{k}": recall_at(k, log_tower, rock_tower, book, test_logs, test_route) for k in (1, 5)}
    print(scores)
    Path("scores.json").write_text(json.dumps(scores))
    torch.save({"log": log_tower.state_dict(), "rock": rock_tower.state_dict()}, "towers.pt")


if __name__ == "__main__":
    main()
