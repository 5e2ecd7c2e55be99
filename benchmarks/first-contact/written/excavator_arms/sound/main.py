"""Clones the arm controller of an excavator into a small recurrent network."""
import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from arm import Arm
from controller import Gains, JointController


def dig_targets(rng, steps):
    """A slow scooping motion with one change of plan."""
    t = np.linspace(0, 1, steps)[:, None]
    start, end = rng.uniform(-0.8, 0.8, (2, 3))
    path = start + (end - start) * (3 * t ** 2 - 2 * t ** 3)
    path[rng.integers(steps // 3, steps):] += rng.normal(0, 0.15, 3)
    return path


def drive(episodes, steps, period, seed):
    rng = np.random.default_rng(seed)
    arm, controller = Arm(period, rng), JointController(Gains(), period)
    logs = []
    for _ in range(episodes):
        angle, speed = arm.reset()
        controller.reset()
        rows = []
        for target in dig_targets(rng, steps):
            torque = controller.torque(target, angle, speed)
            rows.append(np.concatenate([target, angle, speed, torque]))
            angle, speed = arm.step(torque)
        logs.append(np.array(rows, dtype=np.float32))
    return logs, controller.mean_latency()


class Pilot(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(9, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 3)

    def forward(self, x):
        return self.out(self.gru(x)[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=72)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--period", type=float, default=0.02, help="seconds per control cycle")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as tmp:
        journal = Path(tmp) / "drives.pkl"
        logs, latency = drive(args.episodes, args.steps, args.period, args.seed)
        journal.write_bytes(pickle.dumps(logs))
        print(f"{len(logs)} drives, controller takes {latency * 1e6:.1f} us, journal {journal.stat().st_size >> 10} KiB")
        data = torch.from_numpy(np.stack(pickle.loads(journal.read_bytes())))

    x, y = data[..., :9], data[..., 9:] / 90.0
    held = len(x) // 6
    pilot = Pilot()
    opt = torch.optim.Adam(pilot.parameters(), lr=5e-3)
    gen = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        t0 = time.perf_counter()
        for rows in (torch.randperm(len(x) - held, generator=gen) + held).split(12):
            loss = nn.functional.smooth_l1_loss(pilot(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(pilot.parameters(), 1.0)
            opt.step()
        with torch.no_grad():
            check = nn.functional.mse_loss(pilot(x[:held]), y[:held]).item()
        print(f"epoch {epoch}: held-out mse {check:.8f} ({time.perf_counter() - t0:.2f} s)")

    tracking = (data[:, -1, :3] - data[:, -1, 3:6]).abs().mean().item()
    print(f"tracking error {tracking:.8f}, weight norm {sum(p.double().norm().item() for p in pilot.parameters()):.10f}")


if __name__ == "__main__":
    main()
