"""The coordinator keeps the common model; each station improves it on its own nights."""
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset

from curves import night_log
from model import build_model, evaluate, flatten, restore

COORDINATOR = 0


@dataclass(frozen=True)
class Station:
    name: str
    meteors: int
    haze: float


STATIONS = (
    Station("tatra", 300, 0.20),
    Station("eifel", 280, 0.26),
    Station("jura", 320, 0.23),
)


def run_station(rank, args):
    station = STATIONS[rank - 1]
    curves, labels = night_log(station.meteors, seed=args.seed + rank, haze=station.haze)
    data = TensorDataset(torch.from_numpy(curves).unsqueeze(1), torch.from_numpy(labels))
    order = torch.Generator().manual_seed(args.seed + rank)
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, generator=order)
    model = build_model()
    common = flatten(model)
    for _ in range(args.rounds):
        dist.broadcast(common, src=COORDINATOR)
        restore(model, common)
        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        dist.send(flatten(model) - common, dst=COORDINATOR)


class Coordinator:
    def __init__(self, args):
        self.args = args
        torch.manual_seed(args.seed)
        self.model = build_model()
        self.common = flatten(self.model)
        counts = torch.tensor([station.meteors for station in STATIONS], dtype=torch.float32)
        self.shares = counts / counts.sum()
        self.updates = torch.zeros(len(STATIONS), self.common.numel())
        curves, labels = night_log(600, seed=args.seed + 1000, haze=0.24)
        self.test = torch.from_numpy(curves).unsqueeze(1), torch.from_numpy(labels)

    def collect(self):
        for row in range(len(STATIONS)):
            dist.recv(self.updates[row])
        return self.shares @ self.updates

    def run(self):
        history = []
        for number in range(self.args.rounds):
            began = time.perf_counter()
            dist.broadcast(self.common, src=COORDINATOR)
            self.common += self.collect()
            restore(self.model, self.common)
            loss, accuracy = evaluate(self.model, *self.test)
            history.append({"round": number, "loss": loss, "accuracy": accuracy})
            if number % 5 == 4:
                took = 1000 * (time.perf_counter() - began)
                print(f"round {number + 1:3d}  loss {loss:.4f}  accuracy {accuracy:.3f}  {took:.0f} ms", flush=True)
        return history
