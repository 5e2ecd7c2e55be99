"""Train one model of power loss for several windmills, whose logs stay on their sites."""

import csv
import json
import os
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from cluster import run_server, run_site

HERE = Path(__file__).resolve().parent
N_SITES = 3
ROUNDS = 40


def save(model, history):
    torch.save(model.state_dict(), HERE / "central.pt")
    with open(HERE / "rounds.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=["round", "mse"])
        writer.writeheader()
        writer.writerows(history)
    best = min(history, key=lambda row: row["mse"])
    (HERE / "summary.json").write_text(json.dumps({"sites": N_SITES, "best": best}, indent=2))


def process(rank, rendezvous):
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{rendezvous}",
        rank=rank,
        world_size=N_SITES + 1,
        timeout=timedelta(seconds=60),
    )
    if rank == 0:
        model, history = run_server(range(1, N_SITES + 1), ROUNDS)
        save(model, history)
    else:
        run_site(rank, ROUNDS)
    dist.barrier()
    dist.destroy_process_group()


def main():
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="windmill-") as folder:
        mp.start_processes(
            process,
            args=(os.path.join(folder, "rendezvous"),),
            nprocs=N_SITES + 1,
            start_method="fork",
        )
    print(f"done in {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
