"""A surrogate for drawdown in an aquifer: from the wells' rates to the coefficients of its slow modes."""
from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from aquifer import Aquifer
from modes import explained, slow_modes


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--modes", type=int, default=24)
    parser.add_argument("--wells", type=int, default=3)
    parser.add_argument("--samples", type=int, default=1200)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("results"))
    return parser.parse_args()


def seed_all(seed: int) -> None:
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def main() -> None:
    args = settings()
    seed_all(args.seed)
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    began = time.perf_counter()
    aquifer = Aquifer(args.side, args.seed)
    wells, sources = zip(*(aquifer.pumping(args.wells) for _ in range(args.samples)))
    drawdown = np.stack([aquifer.solve(source) for source in sources])
    rates, basis = slow_modes(aquifer.operator, args.modes)
    share = explained(basis, drawdown)
    print(f"{args.modes} modes explain {100 * share:.2f} % of the drawdown ({time.perf_counter() - began:.2f} s)")

    x = torch.from_numpy(np.stack(wells))
    y = torch.from_numpy(drawdown @ basis)
    scale = y.std(0)
    y, split = y / scale, int(0.85 * args.samples)
    model = nn.Sequential(nn.Linear(x.shape[1], 96), nn.Tanh(), nn.Linear(96, 96), nn.Tanh(), nn.Linear(96, args.modes))
    optimizer = torch.optim.RAdam(model.parameters(), lr=3e-3)
    history = []
    for epoch in range(args.epochs):
        for rows in torch.randperm(split).split(60):
            loss = (model(x[rows]) - y[rows]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            history.append((model(x[split:]) - y[split:]).square().mean().item())
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}: {history[-1]:.4f}, {time.perf_counter() - began:.1f} s")

    args.out.mkdir(exist_ok=True)
    torch.save({"net": model.state_dict(), "scale": scale}, args.out / "surrogate.pt")
    record = {"side": args.side, "modes": args.modes, "explained": share, "test": history, "written": time.time()}
    (args.out / "record.json").write_text(json.dumps(record))


if __name__ == "__main__":
    main()
