import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from dispatch import ControlRoom


def load_town(side: int, seed: int) -> dict:
    script = Path(__file__).with_name("make_town.py")
    out = subprocess.run([sys.executable, str(script), str(side), str(seed)], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def draw_calls(town: dict, n: int, rng: np.random.Generator) -> list[dict]:
    stations = sorted(town["stations"])
    return [
        {
            "station": stations[rng.integers(len(stations))],
            "at": tuple(int(v) for v in rng.integers(town["side"], size=2)),
            "hour": float(rng.uniform(20, 30)),
            "severity": int(rng.integers(1, 5)),
            "turnout": float(rng.gamma(2.0, 0.4)),
        }
        for _ in range(n)
    ]


def main() -> None:
    ap = argparse.ArgumentParser(description="Learn the response times of ambulances")
    ap.add_argument("--nights", type=int, default=5)
    ap.add_argument("--calls", type=int, default=1500)
    ap.add_argument("--crews", type=int, default=40)
    ap.add_argument("--seed", type=int, default=112)
    ap.add_argument("--out", default="response_model.pt")
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(args.seed)
    town = load_town(14, args.seed)
    model = nn.Sequential(nn.Linear(7, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
    scale = torch.tensor([14.0, 14.0, 14.0, 14.0, 30.0, 4.0, 10.0])

    for night in range(args.nights):
        start = time.time()
        room = ControlRoom(town, args.crews)
        rows = asyncio.run(room.night(draw_calls(town, args.calls, rng)))
        data = torch.tensor(rows, dtype=torch.float32)
        simulated = time.time() - start
        # every night is seen once, call by call as it was logged
        x, y = data[:, :7] / scale, data[:, 7:]
        total = 0.0
        for xb, yb in zip(x.split(30), y.split(30)):
            loss = nn.functional.smooth_l1_loss(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        print(f"night {night}: median response {y.median():.2f} min, loss {total / len(x):.5f}")
        print(f"  [simulated in {simulated:.2f} s]", file=sys.stderr)

    torch.save(model.state_dict(), args.out)
    with torch.no_grad():
        print("a call across the town:", round(model(torch.tensor([[0.0, 0, 13, 13, 23, 2, 4]]) / scale).item(), 4), "min")


if __name__ == "__main__":
    main()
