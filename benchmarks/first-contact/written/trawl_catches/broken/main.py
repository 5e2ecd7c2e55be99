"""Predicts the catch of trawl hauls by species; survives preemption, and ships an average of its last checkpoints."""
import argparse
import gzip
import hashlib
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from saver import BackgroundSaver, list_checkpoints

SPECIES = ["hake", "cod", "plaice", "whiting", "sole", "squid"]


class Preempted(Exception):
    pass


def make_hauls(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "depth": rng.gamma(4, 30, n), "temp": rng.normal(9, 2, n), "salinity": rng.normal(34.5, 0.4, n),
        "hours": rng.uniform(0.5, 5, n), "speed": rng.normal(3.4, 0.3, n), "month": rng.integers(1, 13, n),
    })
    season = np.stack([np.sin(df.month * np.pi / 6), np.cos(df.month * np.pi / 6)], 1)
    z = ((df.drop(columns="month") - df.drop(columns="month").mean()) / df.drop(columns="month").std()).to_numpy()
    x = np.concatenate([z, season], 1)
    w = rng.normal(0, 0.7, (x.shape[1], len(SPECIES)))
    catch = rng.poisson(np.exp(np.clip(np.tanh(x @ w) * 1.5 + 1, -4, 4)))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(np.log1p(catch), dtype=torch.float32)


def build():
    net = nn.Sequential(nn.Linear(7, 160), nn.SiLU(), nn.Linear(160, 160), nn.SiLU(), nn.Linear(160, len(SPECIES)))
    return net, torch.optim.AdamW(net.parameters(), lr=2e-3)


def capture(net, opt, gen, step):
    return {"step": step, "net": net.state_dict(), "opt": opt.state_dict(), "gen": gen.get_state()}


def restore(path, net, opt, gen):
    with gzip.open(path, "rb") as f:
        state = pickle.load(f)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    gen.set_state(state["gen"])
    return state["step"]


def train(args, folder, x, y, stop_at=None):
    torch.manual_seed(args.seed)
    net, opt = build()
    gen = torch.Generator().manual_seed(args.seed)
    start = 0
    done = list_checkpoints(folder)
    if done:
        start = restore(done[-1], net, opt, gen)
        print("resumed from", done[-1].name)
    with BackgroundSaver(folder) as saver:
        for step in range(start + 1, args.steps + 1):
            rows = torch.randint(len(x), (args.batch,), generator=gen)
            loss = nn.functional.smooth_l1_loss(net(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % args.every == 0:
                saver.submit(step, capture(net, opt, gen, step))
                if step % 100 == 0:
                    print(f"step {step} loss {loss.item():.6f}")
            if step == stop_at:
                raise Preempted(step)
    return net


def average(folder, last):
    """Mean of the weights of the last checkpoints."""
    net, opt = build()
    scratch = torch.Generator()
    total = {k: torch.zeros_like(v) for k, v in net.state_dict().items()}
    paths = list_checkpoints(folder)[-last:]
    for path in paths:
        restore(path, net, opt, scratch)
        for k, v in net.state_dict().items():
            total[k] += v / len(paths)
    net.load_state_dict(total)
    return net


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--every", type=int, default=20)
    p.add_argument("--preempt", type=int, default=210)
    args = p.parse_args()
    torch.set_num_threads(1)
    x, y = make_hauls(3000, args.seed)
    x, y, xv, yv = x[:2400], y[:2400], x[2400:], y[2400:]
    t0 = time.time()
    with tempfile.TemporaryDirectory(prefix="trawl-") as tmp:
        folder = Path(tmp)
        try:
            train(args, folder, x, y, stop_at=args.preempt)
        except Preempted as e:
            print("preempted at step", e)
        last = train(args, folder, x, y)
        mean = average(folder, 6)
    with torch.no_grad():
        for name, net in (("last", last), ("mean", mean)):
            err = (net(xv) - yv).abs().mean(0)
            digest = hashlib.sha1(nn.utils.parameters_to_vector(net.parameters()).numpy().tobytes()).hexdigest()
            print(name, " ".join(f"{s}={e:.5f}" for s, e in zip(SPECIES, err.tolist())), digest[:12])
    print(f"took {time.time() - t0:.2f} s")


if __name__ == "__main__":
    main()
