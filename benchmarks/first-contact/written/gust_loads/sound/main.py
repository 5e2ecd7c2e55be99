"""Peak wing bending from gust encounters, learnt by a small parameter server."""
import csv
import json
import os
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from roles import serve, work
from wing import encounters

OUT = Path(__file__).resolve().parent / "loads"
WORLD = 3
ROUNDS = 70
SEED = 25341


def finish(model, losses, seconds):
    x, y = encounters(np.random.default_rng(SEED + 1), 400)
    with torch.no_grad():
        error = (model(torch.from_numpy(x)).squeeze(-1) - torch.from_numpy(y)).abs()
    with open(OUT / "updates.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["update", "loss"])
        writer.writerows(enumerate(losses))
    summary = {"job": str(uuid.uuid4()), "error": error.mean().item(), "worst": error.max().item(), "seconds": seconds}
    (OUT / "summary.json").write_text(json.dumps(summary, indent=1))
    torch.save(model.state_dict(), OUT / "bending.pt")
    print(f"mean error {error.mean().item():.4f}, {len(losses)} updates in {seconds:.2f} s", flush=True)


def run(rank, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=WORLD)
    began = time.perf_counter()
    if rank == 0:
        model, losses = serve(WORLD, ROUNDS, SEED)
        finish(model, losses, time.perf_counter() - began)
    else:
        work(rank, ROUNDS, SEED)
    dist.barrier()
    dist.destroy_process_group()


def main():
    OUT.mkdir(exist_ok=True)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory(prefix="gusts-") as folder:
        store = os.path.join(folder, "rendezvous")
        mp.start_processes(run, args=(store,), nprocs=WORLD, start_method="fork")


if __name__ == "__main__":
    main()
