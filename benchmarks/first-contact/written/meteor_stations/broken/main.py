import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from network import COORDINATOR, STATIONS, Coordinator, run_station


def process(rank, args, run_dir):
    torch.set_num_threads(1)
    rendezvous = (run_dir / "rendezvous").resolve()
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=len(STATIONS) + 1)
    if rank == COORDINATOR:
        coordinator = Coordinator(args)
        history = coordinator.run()
        torch.save(coordinator.model.state_dict(), run_dir / "showers.pt")
        (run_dir / "metrics.json").write_text(json.dumps(history, indent=1))
    else:
        run_station(rank, args)
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description="Classify meteors by shower, trained across observing stations.")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    args = parser.parse_args()

    run_dir = args.runs / datetime.now().strftime("%Y%m%dT%H%M%S")
    run_dir.mkdir(parents=True)
    began = time.time()
    mp.spawn(process, args=(args, run_dir), nprocs=len(STATIONS) + 1)
    last = json.loads((run_dir / "metrics.json").read_text())[-1]
    print(f"accuracy {last['accuracy']:.3f} over {len(STATIONS)} stations in {time.time() - began:.1f} s: {run_dir}")


if __name__ == "__main__":
    main()
