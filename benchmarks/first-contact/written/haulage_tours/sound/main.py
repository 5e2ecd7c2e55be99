"""Learns a dispatcher's next-stop rule from planned tours."""
import json
import random
import sys
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from districts import make_district, tour_length
from net import NextStop, describe
from planner import plan_all

HERE = Path(__file__).parent


def decisions(districts, tours):
    """Every step of every tour: what could be seen, what was still open, where the tour went."""
    seen, closed_at, went = [], [], []
    for district, tour in zip(districts, tours):
        closed = torch.zeros(len(tour), dtype=torch.bool)
        for here, following in zip(tour, tour[1:]):
            closed[here] = True
            seen.append(describe(district, here, closed))
            closed_at.append(closed.clone())
            went.append(following)
    return TensorDataset(torch.stack(seen), torch.stack(closed_at), torch.tensor(went))


@torch.no_grad()
def drive(net, district):
    net.eval()
    tour, closed = [0], torch.zeros(len(district.places), dtype=torch.bool)
    while len(tour) < len(closed):
        closed[tour[-1]] = True
        scores = net(describe(district, tour[-1], closed)[None], closed[None])
        tour.append(int(scores.argmax()))
    return tour


def train(net, data, cfg):
    loader = DataLoader(data, batch_size=cfg["batch_size"], shuffle=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    curve = []
    for epoch in range(cfg["epochs"]):
        started, total, right = time.perf_counter(), 0.0, 0
        net.train()
        for x, closed, target in loader:
            scores = net(x, closed)
            loss = F.cross_entropy(scores, target)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(x)
            right += int((scores.argmax(1) == target).sum())
        decay.step()
        curve.append(total / len(data))
        rate = len(data) / (time.perf_counter() - started)
        print(f"epoch {epoch:2d}  loss {curve[-1]:.4f}  right {right / len(data):.3f}  {rate:.0f} decisions/s")
    return curve


def main():
    cfg = json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "config.json").read_text())
    random.seed(cfg["seed"])
    np.random.seed(cfg["seed"])
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    print(f"started {datetime.now():%a %d %b %H:%M:%S}")

    districts = [make_district(n, cfg["stops"], cfg["seed"]) for n in range(cfg["districts"])]
    tours = plan_all(districts, cfg["planner"], cfg["seed"], cfg["workers"])
    split = cfg["districts"] - cfg["held_out"]
    data = decisions(districts[:split], tours[:split])
    net = NextStop(data.tensors[0].shape[-1], **cfg["net"])
    curve = train(net, data, cfg)

    planned = [tour_length(d, t) for d, t in zip(districts[split:], tours[split:])]
    driven = [tour_length(d, drive(net, d)) for d in districts[split:]]
    metrics = {"loss": curve, "planned_km": planned, "driven_km": driven,
               "excess": sum(driven) / sum(planned) - 1}
    results = Path("results")
    results.mkdir(exist_ok=True)
    torch.save(net.state_dict(), results / "next_stop.pt")
    (results / "metrics.json").write_text(json.dumps(metrics, indent=2))
    print(f"driven tours are {metrics['excess']:.1%} longer than planned ones")


if __name__ == "__main__":
    main()
