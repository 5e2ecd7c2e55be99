"""Train a small 1-d U-shaped network that takes noise off synthetic heart beats."""
import os
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

CFG = dict(n=360, length=256, epochs=3, batch=24, workers=2, lr=2e-3, seed=99)


def heartbeat(length, rate, phase):
    t = (np.arange(length) / length * rate + phase) % 1.0
    qrs = np.exp(-((t - 0.5) / 0.02) ** 2) - 0.25 * np.exp(-((t - 0.46) / 0.015) ** 2)
    return qrs + 0.2 * np.exp(-((t - 0.75) / 0.06) ** 2) + 0.1 * np.exp(-((t - 0.3) / 0.04) ** 2)


class NoisyBeats(Dataset):
    def __init__(self, n, length, seed):
        self.n, self.length, self.seed, self.epoch = n, length, seed, 0
        rng = np.random.default_rng(seed)
        self.rate = rng.uniform(2, 6, n)
        self.phase = rng.uniform(0, 1, n)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        # every (epoch, item) has a stream of its own, whichever worker makes it
        rng = np.random.default_rng([self.seed, self.epoch, i])
        clean = heartbeat(self.length, self.rate[i], self.phase[i])
        drift = 0.3 * np.sin(2 * np.pi * (np.arange(self.length) / self.length + rng.uniform()))
        noisy = clean + drift + 0.2 * rng.standard_normal(self.length)
        return torch.tensor(noisy, dtype=torch.float32)[None], torch.tensor(clean, dtype=torch.float32)[None]


class Denoiser(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.down = nn.Conv1d(1, c, 9, stride=2, padding=4)
        self.mid = nn.Conv1d(c, c, 9, padding=4)
        self.up = nn.ConvTranspose1d(c, 1, 4, stride=2, padding=1)

    def forward(self, x):
        h = torch.relu(self.down(x))
        h = h + torch.relu(self.mid(h))
        return x - self.up(h)


def hello(worker_id):
    torch.set_num_threads(1)
    if worker_id == 0:
        os.environ["BEATS_WORKER_PID"] = str(os.getpid())  # for the profiler


def main():
    torch.manual_seed(CFG["seed"])
    data = NoisyBeats(CFG["n"], CFG["length"], CFG["seed"])
    net = Denoiser()
    opt = torch.optim.Adam(net.parameters(), lr=CFG["lr"])
    for epoch in range(CFG["epochs"]):
        data.epoch = epoch
        loader = DataLoader(data, CFG["batch"], shuffle=True, num_workers=CFG["workers"], worker_init_fn=hello)
        start = time.time()
        losses = []
        for noisy, clean in loader:
            loss = (net(noisy) - clean).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch}  mse {np.mean(losses):.6f}  {len(data) / (time.time() - start):.0f} beats/s")
    torch.save(net.state_dict(), "denoiser.pt")
    print(f"last mse {losses[-1]:.8f}")


if __name__ == "__main__":
    main()
