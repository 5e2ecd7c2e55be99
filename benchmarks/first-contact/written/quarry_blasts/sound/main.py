import csv
import os
import time
from concurrent.futures import ProcessPoolExecutor, wait

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from blast import draw_plan, simulate

SEED = 3
BLASTS = 260
WORKERS = 2
EPOCHS = 45
BATCH = 20
TIMEOUT = 300
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "output")


def run_campaign(plans):
    """Simulates all the plans on the worker processes."""
    shots = []
    with ProcessPoolExecutor(max_workers=WORKERS) as pool:
        futures = [pool.submit(simulate, plan) for plan in plans]
        done, late = wait(futures, timeout=TIMEOUT)
        if late:
            for future in late:
                future.cancel()
            raise RuntimeError(f"{len(late)} simulations did not finish within {TIMEOUT} s")
        for future in futures:
            shot = future.result()
            if not np.isfinite(shot["trace"]).all():
                print("unstable run, dropped")
                continue
            shots.append(shot)
    return shots


class VibrationNet(nn.Module):
    """Predicts the whole velocity trace from the plan, plus peak and energy."""

    def __init__(self, inputs, length, width=64):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(inputs, width), nn.SiLU(), nn.Dropout(0.05), nn.Linear(width, width), nn.SiLU()
        )
        self.seed_map = nn.Linear(width, 8 * 18)
        self.decoder = nn.Sequential(
            nn.ConvTranspose1d(8, 16, 4, stride=2, padding=1), nn.SiLU(),
            nn.ConvTranspose1d(16, 8, 4, stride=2, padding=1), nn.SiLU(),
            nn.Conv1d(8, 1, 5, padding=2),
        )
        self.scalars = nn.Linear(width, 2)
        self.length = length

    def forward(self, plan):
        h = self.encoder(plan)
        trace = self.decoder(self.seed_map(h).view(-1, 8, 18)).squeeze(1)[:, : self.length]
        return trace, self.scalars(h)


torch.set_num_threads(1)
torch.manual_seed(SEED)
np.random.seed(SEED)


def main():
    os.makedirs(OUT, exist_ok=True)
    t0 = time.time()

    rng = np.random.default_rng(SEED)
    plans = [draw_plan(rng, number) for number in range(BLASTS)]
    delays = set(p["delay"] for p in plans)
    print(f"{len(plans)} plans with delays of {sorted(delays)} ms")

    shots = run_campaign(plans)
    print(f"simulated {len(shots)} blasts in {time.time() - t0:.2f} s with {WORKERS} workers")

    plan = torch.tensor([s["plan"] for s in shots], dtype=torch.float32)
    trace = torch.from_numpy(np.stack([s["trace"] for s in shots]))
    scalar = torch.tensor([[s["ppv"], s["energy"]] for s in shots], dtype=torch.float32)

    # hold out every blast whose number is a multiple of five
    number = torch.tensor([s["blast"] for s in shots])
    held = number % 5 == 0
    mean, std = plan[~held].mean(0), plan[~held].std(0)
    plan = (plan - mean) / std
    scale = trace[~held].std()
    trace = trace / scale
    s_mean, s_std = scalar[~held].mean(0), scalar[~held].std(0)
    scalar = (scalar - s_mean) / s_std

    x, y, z = plan[~held], trace[~held], scalar[~held]
    model = VibrationNet(plan.shape[1], trace.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    print("parameters:", sum(p.numel() for p in model.parameters()))

    best = float("inf")
    curve = []
    for epoch in range(1, EPOCHS + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(BATCH):
            pred, scal = model(x[idx])
            loss = F.smooth_l1_loss(pred, y[idx]) + 0.3 * F.mse_loss(scal, z[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()

        model.eval()
        with torch.no_grad():
            pred, scal = model(plan[held])
            trace_error = F.l1_loss(pred, trace[held]).item()
            ppv_error = (scal[:, 0] - scalar[held][:, 0]).abs().mean().item()
        curve.append((epoch, total / len(x), trace_error, ppv_error))
        if trace_error < best:
            best = trace_error
            torch.save(model.state_dict(), os.path.join(OUT, "best.pt"))
        if epoch % 9 == 0:
            print(f"epoch {epoch:3d}  train {total / len(x):.6f}  trace {trace_error:.6f}  ppv {ppv_error:.6f}")

    torch.save(model.state_dict(), os.path.join(OUT, "last.pt"))
    with open(os.path.join(OUT, "curve.csv"), "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["epoch", "train", "trace", "ppv"])
        writer.writerows(curve)
    with open(os.path.join(OUT, "jobs.log"), "a") as f:
        f.write(f"{time.ctime()} pid {os.getpid()} took {time.time() - t0:.1f} s\n")
    print(f"best trace error {best:.8f}")


if __name__ == "__main__":
    main()
