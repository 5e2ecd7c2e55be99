"""Two ranks learn to name the reading of a kanji from features of its strokes."""
import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from reducer import GradientReducer

FEATURES = 48
READINGS = 8000


class Reader(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(FEATURES, width), nn.LayerNorm(width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.head = nn.Linear(width, READINGS)

    def forward(self, strokes):
        return self.head(self.body(strokes))


def make_dictionary(seed, size=1280):
    generator = torch.Generator().manual_seed(seed)
    strokes = torch.randn(size, FEATURES, generator=generator)
    # a few readings are frequent, most are rare
    ranks = torch.rand(size, generator=generator).pow(3.0)
    hint = torch.sigmoid(strokes[:, :6].sum(1) / 2.5)
    readings = (0.5 * (ranks + hint) * (READINGS - 1)).long()
    return TensorDataset(strokes, readings)


def fingerprint(model):
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.numpy().tobytes())
    return digest.hexdigest()[:16]


def work(rank, world, folder, args):
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world)
    data = make_dictionary(args.seed)
    sampler = DistributedSampler(data, world, rank, shuffle=True, seed=args.seed)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = Reader()
    reducer = GradientReducer(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    history, began = [], time.perf_counter()
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        total, steepest = 0.0, 0.0
        for strokes, readings in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(strokes), readings)
            loss.backward()
            reducer.finish()
            steepness = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            steepest = max(steepest, steepness.item())
            total += loss.item()
        mean = torch.tensor([total / len(loader)], dtype=torch.float64)
        dist.all_reduce(mean)
        history.append(mean.item() / world)
        if rank == 0:
            print(f"epoch {epoch}  loss {history[-1]:.6f}  steepest {steepest:.5f}", flush=True)
    seconds = time.perf_counter() - began
    report = {"history": history, "weights": fingerprint(model), "mb_per_s": reducer.launched / 1e6 / seconds}
    pathlib.Path(folder, f"rank{rank}.json").write_text(json.dumps(report))
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--clip", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="kanji-") as folder:
        ranks = [context.Process(target=work, args=(rank, 2, folder, args)) for rank in range(2)]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()
            if process.exitcode:
                raise SystemExit(f"a rank ended with {process.exitcode}")
        reports = [json.loads(pathlib.Path(folder, f"rank{rank}.json").read_text()) for rank in range(2)]
    print(f"reduced {reports[0]['mb_per_s']:.0f} MB/s")
    print("final loss", f"{reports[0]['history'][-1]:.8f}", "weights", reports[0]["weights"])


if __name__ == "__main__":
    main()
