"""Train the pulsar sieve on several ranks of one machine."""
import os
import tempfile

import torch.multiprocessing as mp

from config import Config
from worker import train


def main():
    cfg = Config()
    with tempfile.TemporaryDirectory(prefix="sieve-") as folder:
        rendezvous = os.path.join(folder, "rendezvous")
        mp.spawn(train, args=(cfg, rendezvous), nprocs=cfg.ranks)
    print("done")


if __name__ == "__main__":
    main()
