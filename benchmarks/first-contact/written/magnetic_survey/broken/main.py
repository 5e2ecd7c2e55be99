"""Fit a continuous magnetic map to flight lines and level it on tie lines."""
import json
import time
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from field import MagneticField
from flight import fly

HERE = Path(__file__).parent
CONFIG = json.loads((HERE / "config.json").read_text())


def batches(n: int, size: int, gen: torch.Generator):
    order = torch.randperm(n, generator=gen)
    for start in range(0, n - size + 1, size):
        yield order[start : start + size]


@torch.no_grad()
def score(model, xyz, reading) -> dict[str, float]:
    guess = torch.cat([model(part) for part in xyz.split(8192)])
    rest = reading - guess
    r2 = 1 - rest.square().sum() / (reading - reading.mean()).square().sum()
    return {"rmse": rest.square().mean().sqrt().item(), "r2": r2.item()}


@torch.no_grad()
def grid_map(model, side: int) -> np.ndarray:
    axis = torch.linspace(0, 0.999, side)
    east, north = torch.meshgrid(axis, axis, indexing="xy")
    xyz = torch.stack([east, north, torch.full_like(east, 0.04)], dim=-1).view(-1, 3)
    return model(xyz).view(side, side).numpy()


def main():
    stamp = datetime.now(timezone.utc)
    clock = time.perf_counter()
    torch.manual_seed(CONFIG["seed"])
    xyz, reading, line = fly(**CONFIG["survey"], seed=CONFIG["seed"])
    control = line % 6 == 5
    train_xyz, train_reading = torch.from_numpy(xyz[~control]), torch.from_numpy(reading[~control])
    test_xyz, test_reading = torch.from_numpy(xyz[control]), torch.from_numpy(reading[control])
    print(f"[{stamp:%Y-%m-%d %H:%M:%S}] {len(train_xyz)} readings, {len(test_xyz)} on control lines")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")

    model = MagneticField(CONFIG["grid"], CONFIG["hidden"])
    opt = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"], eps=1e-12)
    decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.8)
    gen = torch.Generator().manual_seed(CONFIG["seed"])
    history = []
    for epoch in range(CONFIG["epochs"]):
        tick = time.perf_counter()
        losses = []
        for pick in batches(len(train_xyz), CONFIG["batch"], gen):
            loss = F.huber_loss(model(train_xyz[pick]), train_reading[pick], delta=0.5)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        decay.step()
        entry = {"epoch": epoch, "loss": sum(losses) / len(losses), **score(model, test_xyz, test_reading)}
        entry["seconds"] = round(time.perf_counter() - tick, 3)
        history.append(entry)
        print("epoch {epoch}  loss {loss:.7f}  control rmse {rmse:.6f}  r2 {r2:.6f}  {seconds:.2f}s".format(**entry))

    out = Path("survey_out")
    out.mkdir(exist_ok=True)
    chart = grid_map(model, 96)
    np.save(out / "map.npy", chart)
    torch.save(model.state_dict(), out / "field.pt")
    summary = {"flown": stamp.isoformat(), "history": history, "map_range": [float(chart.min()), float(chart.max())]}
    (out / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"map from {chart.min():.4f} to {chart.max():.4f}; {time.perf_counter() - clock:.1f} s in all")


if __name__ == "__main__":
    main()
