"""FedProx with an ensemble read-out. Clients run in a process pool and come back in any order."""
import concurrent.futures as cf
import json
import multiprocessing
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(20, 40), nn.Linear(40, 2)

    def forward(self, x):
        return self.fc2(F.dropout(F.relu(self.fc1(x)), 0.1, self.training))


def hospital(k):
    rng = np.random.default_rng(np.random.SeedSequence(entropy=314, spawn_key=(k,)))
    n = int(rng.integers(100, 400))
    w = np.random.default_rng(314).normal(size=20)
    x = rng.normal(rng.normal(0, 0.4, 20), 1, (n, 20))
    y = (x @ w + 0.5 * rng.normal(size=n) > 0).astype(np.int64)
    return torch.from_numpy(x.astype("f4")), torch.from_numpy(y)


def local_update(k, rnd, flat):
    torch.set_num_threads(1)
    torch.manual_seed(10_000 * rnd + k)
    x, y = hospital(k)
    net = Net()
    anchor = torch.tensor(flat)
    nn.utils.vector_to_parameters(anchor.clone(), net.parameters())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        for b in torch.randperm(len(x)).split(20):
            here = nn.utils.parameters_to_vector(net.parameters())
            loss = F.cross_entropy(net(x[b]), y[b]) + 0.05 * (here - anchor).square().sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    return k, len(x), nn.utils.parameters_to_vector(net.parameters()).detach().numpy(), os.getpid()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(314)
    net = Net()
    flat = nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
    x, y = (torch.cat(t) for t in zip(*(hospital(50 + k) for k in range(4))))
    curve, last = [], {}
    with cf.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        for rnd in range(4):
            t0, arrived, pids = time.time(), {}, set()
            futures = [pool.submit(local_update, k, rnd, flat) for k in range(8)]
            for future in cf.as_completed(futures):
                k, n, update, pid = future.result()
                arrived[k] = (n, update)
                pids.add(pid)
            # add up in the order of the clients, whoever was first
            total = sum(n for n, _ in arrived.values())
            flat = sum((n / total) * arrived[k][1] for k, (n, _) in sorted(arrived.items(), key=lambda kv: kv[0]))
            flat = flat.astype(np.float32)
            last = arrived
            nn.utils.vector_to_parameters(torch.tensor(flat), net.parameters())
            net.eval()
            with torch.no_grad():
                loss = F.cross_entropy(net(x), y).item()
            curve.append(loss)
            print(f"round {rnd} loss {loss:.8f}")
            print(f"  {len(pids)} workers, first {next(iter(arrived))}, {time.time() - t0:.2f} s")
    votes = torch.zeros(len(x), 2)
    for k in sorted(last):
        member = Net().eval()
        nn.utils.vector_to_parameters(torch.tensor(last[k][1]), member.parameters())
        with torch.no_grad():
            votes += member(x).softmax(1)
    acc = (votes.argmax(1) == y).float().mean().item()
    print("ensemble of the last round, accuracy", acc)
    np.save("global.npy", flat)
    with open("curve.json", "w") as f:
        json.dump(curve, f)


if __name__ == "__main__":
    main()
