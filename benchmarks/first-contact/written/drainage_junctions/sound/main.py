"""Predicts surcharge depth at the junctions of a storm drainage network."""
import argparse
import io
import json
import time
from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from network import survey


@dataclass
class Options:
    seed: int = 3
    junctions: int = 1600
    epochs: int = 60
    hidden: int = 32
    lr: float = 1e-2


def connected(outfall):
    """All junctions that drain to the outfall, with their hops from it."""
    outfall.hops = 0
    reached, queue = {outfall}, deque([outfall])
    while queue:
        here = queue.popleft()
        for pipe in here.pipes:
            other = pipe.other(here)
            if other not in reached:
                other.hops = here.hops + 1
                reached.add(other)
                queue.append(other)
    return reached


def tabulate(outfall):
    """Feature rows and edge list, in order of distance from the outfall."""
    nodes = sorted(connected(outfall), key=lambda j: (j.hops, j.code))
    row = {node: i for i, node in enumerate(nodes)}
    x = torch.tensor([[n.ground, n.invert, n.inflow, len(n.pipes), n.hops / 10] for n in nodes], dtype=torch.float32)
    y = torch.tensor([n.surcharge for n in nodes], dtype=torch.float32)
    src, dst, size = [], [], []
    for node in nodes:
        for pipe in node.pipes:
            src.append(row[pipe.other(node)])
            dst.append(row[node])
            size.append(pipe.diameter)
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    return x, y, torch.tensor([src, dst]), torch.tensor(size)


class Flow(nn.Module):
    def __init__(self, width_in, width_out):
        super().__init__()
        self.own = nn.Linear(width_in, width_out)
        self.near = nn.Linear(width_in, width_out, bias=False)

    def forward(self, x, edges, size):
        src, dst = edges
        message = self.near(x)[src] * size.unsqueeze(1)
        total = torch.zeros(len(x), message.shape[1]).index_add(0, dst, message)
        return torch.relu(self.own(x) + total)


class SurchargeNet(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.layers = nn.ModuleList([Flow(width, hidden), Flow(hidden, hidden), Flow(hidden, hidden)])
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, edges, size):
        for layer in self.layers:
            x = self.drop(layer(x, edges, size))
        return self.out(x).squeeze(1)


def split(count, seed):
    order = np.random.default_rng(seed).permutation(count)
    cut = int(count * 0.7)
    return torch.from_numpy(order[:cut].copy()), torch.from_numpy(order[cut:].copy())


def main():
    parser = argparse.ArgumentParser()
    for name, value in vars(Options()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    opts = Options(**vars(parser.parse_args()))
    torch.manual_seed(opts.seed)
    torch.set_num_threads(1)

    outfall, total = survey(opts.junctions, opts.seed)
    x, y, edges, size = tabulate(outfall)
    print(f"{len(x)} of {total} junctions drain to the outfall, {edges.shape[1] // 2} pipes")
    train, test = split(len(x), opts.seed)

    model = SurchargeNet(x.shape[1], opts.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=opts.lr)
    best, kept = float("inf"), io.BytesIO()
    start = time.monotonic()
    for epoch in range(opts.epochs):
        model.train()
        loss = nn.functional.mse_loss(model(x, edges, size)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 10 == 9:
            model.eval()
            with torch.no_grad():
                held = nn.functional.mse_loss(model(x, edges, size)[test], y[test]).item()
            print(f"epoch {epoch + 1} train {loss.item():.6f} held out {held:.6f}")
            if held < best:
                best, kept = held, io.BytesIO()
                torch.save(model.state_dict(), kept)
    print(f"{opts.epochs / (time.monotonic() - start):.1f} epochs/s")

    kept.seek(0)
    weights = torch.load(kept)
    print(json.dumps({"held_out": best, "checksum": sum(w.double().sum().item() for w in weights.values())}))


if __name__ == "__main__":
    main()
