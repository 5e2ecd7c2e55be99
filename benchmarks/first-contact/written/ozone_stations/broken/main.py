"""Six-hour ozone forecast, trained data-parallel on two ranks over gloo."""

import os
import socket
import tempfile
import time
from types import MappingProxyType

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import stations as network

CONFIG = MappingProxyType({
    "world": 2,
    "seed": 230,
    "epochs": 6,
    "steps": 25,
    "batch": 48,
    "width": 32,
    "lr": 2e-3,
    "weights": "ozone.pt",
})


class OzoneNet(nn.Module):
    """Causal convolutions over the last day."""

    def __init__(self, width):
        super().__init__()
        layers, channels = [], 3
        for dilation in (1, 2, 4):
            layers += [nn.ConstantPad1d((2 * dilation, 0), 0.0),
                       nn.Conv1d(channels, width, 3, dilation=dilation), nn.ReLU()]
            channels = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        h = self.body(x.transpose(1, 2))
        return x[:, -1, 0] + self.head(h[:, :, -1]).squeeze(1)


class Draws:
    """Endless batches from this rank's windows; every rank takes as many."""

    def __init__(self, x, y, batch, seed):
        self.x, self.y, self.batch = x, y, batch
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        while True:
            for rows in torch.randperm(len(self.x), generator=self.generator).split(self.batch):
                if len(rows) == self.batch:
                    noise = 0.02 * torch.randn(self.x[rows].shape, generator=self.generator)
                    yield self.x[rows] + noise, self.y[rows]


def validate(model, x, y):
    model.eval()
    with torch.no_grad():
        error = (model(x) - y).abs().mean()
    model.train()
    return 60 * error.item()


def run_rank(rank, rendezvous):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=CONFIG["world"])
    own = network.mine(network.all_stations(), rank, CONFIG["world"])
    x, y = network.windows(own)
    count = torch.tensor([float(len(x))])
    dist.all_reduce(count)

    torch.manual_seed(CONFIG["seed"])
    model = DistributedDataParallel(OzoneNet(CONFIG["width"]))
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    batches = iter(Draws(x, y, CONFIG["batch"], CONFIG["seed"] + rank))
    if rank == 0:
        held = [network.Station("held out", 900 + i) for i in range(4)]
        held_x, held_y = network.windows(held)
        print(f"{int(count)} windows on {CONFIG['world']} ranks, host {socket.gethostname()}, pid {os.getpid()}")

    for epoch in range(CONFIG["epochs"]):
        began, total = time.time(), torch.zeros(1)
        for _ in range(CONFIG["steps"]):
            inputs, targets = next(batches)
            loss = nn.functional.huber_loss(model(inputs), targets, delta=0.2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            mean = total.item() / CONFIG["steps"] / CONFIG["world"]
            print(f"epoch {epoch}: loss {mean:.5f}, held-out mae {validate(model.module, held_x, held_y):.2f} ug/m3, "
                  f"{time.time() - began:.1f} s", flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), CONFIG["weights"])
    dist.barrier()
    dist.destroy_process_group()


def main():
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run_rank, args=(os.path.join(folder, "rendezvous"),), nprocs=CONFIG["world"])
    print("saved", CONFIG["weights"], "at", time.strftime("%H:%M:%S"))


if __name__ == "__main__":
    main()
