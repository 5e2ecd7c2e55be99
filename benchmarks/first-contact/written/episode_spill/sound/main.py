"""Learn to learn waves from ten points."""
import argparse
import itertools
import random
import threading
import time

import numpy as np
import torch

from meta.learner import Maml, network
from meta.spool import Spool
from meta.tasks import episode


def chunks(items, size):
    items = iter(items)
    while chunk := list(itertools.islice(items, size)):
        yield chunk


class Monitor(threading.Thread):
    """Says now and then how far things are."""

    def __init__(self, every=0.2):
        super().__init__(daemon=True)
        self.every, self.steps, self.over = every, 0, threading.Event()

    def run(self):
        while not self.over.wait(self.every):
            print(f"  {time.strftime('%X')} {self.steps} steps, {time.process_time():.1f} s of cpu", flush=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=320)
    parser.add_argument("--shard", type=int, default=16)
    parser.add_argument("--meta-batch", type=int, default=8)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    rng = np.random.default_rng(args.seed)
    test = [episode(rng, 10, 20) for _ in range(20)]
    maml = Maml(network())
    with Spool() as spool, Monitor() as monitor:
        for shard in chunks((episode(rng, 10, 20) for _ in range(args.episodes)), args.shard):
            spool.put(shard)
        print(f"{args.episodes} episodes in {len(spool)} shards, {spool.size()} bytes in {spool.folder}")
        for number in range(1, args.passes + 1):
            start = time.perf_counter()
            losses = []
            for batch in chunks(spool, args.meta_batch):
                losses.append(maml.step(batch))
                monitor.steps += 1
            held_out = np.mean([maml.query_loss(e).item() for e in test])
            print(f"pass {number}: train {np.mean(losses):.4f} test {held_out:.4f}, "
                  f"{1000 * (time.perf_counter() - start) / len(losses):.0f} ms a step")
    torch.save(maml.net.state_dict(), "maml.pt")


if __name__ == "__main__":
    main()
