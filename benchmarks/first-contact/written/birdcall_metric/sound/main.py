"""Metric learning on bird calls with a long tail of rare species."""
import json
import os
import platform
import resource
import sys
import threading
import time
from collections import ChainMap
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from birdcall.dataset import CallSet
from birdcall.metric import Encoder, recall_at_1, triplet_loss
from birdcall.mining import Miner
from birdcall.sampling import RareFirstSampler
from birdcall.streams import Streams

DEFAULTS = {"output": ".", "device": "cpu", "threads": 1}


class Heartbeat(threading.Thread):
    """Says every second that the program is alive, and how much memory it has."""

    def __init__(self):
        super().__init__(daemon=True)
        self.finished = threading.Event()

    def run(self):
        while not self.finished.wait(1.0):
            rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"... {time.strftime('%H:%M:%S')} pid {os.getpid()} {rss} MiB", file=sys.stderr)


def fit(encoder, loader, miner, settings):
    optimizer = torch.optim.SGD(encoder.parameters(), **settings["optim"])
    trail = []
    for epoch in range(settings["run"]["epochs"]):
        for i, (calls, species) in enumerate(loader):
            z = encoder(calls)
            anchor, positive, negative = miner.triplets(z.detach(), species)
            loss = triplet_loss(z[anchor], z[positive], z[negative], settings["mining"]["margin"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            trail.append(loss.item())
            if i % settings["run"]["log_every"] == 0:
                print(f"epoch {epoch} batch {i:3d} loss {trail[-1]:.5f} triplets {len(anchor)}")
    return trail


def main():
    here = Path(__file__).resolve().parent
    settings = ChainMap(json.loads((here / "settings.json").read_text()), DEFAULTS)
    torch.manual_seed(settings["run"]["seed"])
    torch.set_num_threads(settings["threads"])
    print("python", platform.python_version(), "on", platform.node())

    heartbeat = Heartbeat()
    heartbeat.start()
    streams = Streams(settings)
    calls = CallSet(**settings["data"], seed=settings["run"]["seed"])
    sampler = RareFirstSampler(calls.species, settings["loader"]["draws"], streams)
    loader = DataLoader(calls, batch_size=settings["loader"]["batch_size"], sampler=sampler, drop_last=True)
    miner = Miner(settings["mining"]["pool"], streams)
    encoder = Encoder(settings["data"]["bands"])
    started = time.perf_counter()
    trail = fit(encoder, loader, miner, settings)
    print(f"{len(trail) / (time.perf_counter() - started):.1f} batches/s")
    heartbeat.finished.set()

    probe = torch.randperm(len(calls), generator=torch.Generator())[:150]
    with torch.no_grad():
        recall = recall_at_1(encoder(calls.x[probe]), calls.species[probe])
    out = Path(settings["output"])
    torch.save({"encoder": encoder.state_dict(), "loss": torch.tensor(trail)}, out / "encoder.pt")
    (out / "scores.json").write_text(json.dumps({"recall_at_1": recall, "last_loss": trail[-1]}) + "\n")
    print(f"recall@1 {recall:.3f}")


if __name__ == "__main__":
    main()
