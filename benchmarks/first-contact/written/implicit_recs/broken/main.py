"""Matrix factorisation on implicit feedback with pairwise ranking loss."""
import json
import os
import sys
import tempfile
import time

import numpy as np
import torch

import interactions
from evaluate import ranking_metrics
from factors import Factors
from trainer import Trainer

CONFIG = {
    "users": 400, "items": 300, "dim": 24, "epochs": 6, "batch": 256,
    "lr": 0.02, "reg": 1e-4, "hard_from": 2, "seed": 2024,
}


def save_atomically(path, write):
    fd, tmp = tempfile.mkstemp(dir=".", prefix=".part-")
    os.close(fd)
    write(tmp)
    os.replace(tmp, path)


def main():
    cfg = dict(CONFIG)
    for arg in sys.argv[1:]:
        key, value = arg.split("=")
        cfg[key] = type(cfg[key])(value)
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    started = time.time()

    train, held_out = interactions.generate(cfg["users"], cfg["items"], cfg["seed"])
    print(f"[{os.getpid()}] {len(train)} interactions, {len(held_out)} held out", file=sys.stderr)

    model = Factors(cfg["users"], cfg["items"], cfg["dim"])
    trainer = Trainer(model, train, cfg, np.random.default_rng(cfg["seed"] + 1))
    for epoch in range(cfg["epochs"]):
        t = time.time()
        loss = trainer.epoch(epoch)
        m = ranking_metrics(model, train, held_out)
        print(f"epoch {epoch}: loss {loss:.5f}  hr@10 {m['hr']:.4f}  ndcg@10 {m['ndcg']:.4f}")
        print(f"  {len(train) / (time.time() - t):.0f} pairs per second", file=sys.stderr)

    with torch.no_grad():
        top = model.scores(torch.arange(20)).topk(10).indices
    save_atomically("factors.npy", lambda p: np.save(open(p, "wb"), model.item.weight.detach().numpy()))
    save_atomically("top10.json", lambda p: json.dump(top.tolist(), open(p, "w")))
    save_atomically("metrics.json", lambda p: json.dump(m, open(p, "w")))
    print(f"finished after {time.time() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
