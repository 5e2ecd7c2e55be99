"""A small GRU language model over subwords of recipes."""
import logging
import random
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

from subword.bpe import Bpe
from subword.corpus import recipes

CONFIG = {"lines": 300, "merges": 70, "width": 48, "span": 24, "batch": 24, "epochs": 2, "lr": 5e-3, "seed": 2024}


class GruLm(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, ids):
        return self.out(self.gru(self.embed(ids))[0])


log = logging.getLogger("lm")


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def spans(bpe, lines, length):
    def work(part):
        ids = [i for line in part for i in bpe.encode(line)]
        log.info("%s encoded %d lines", threading.current_thread().name, len(part))
        return ids

    with ThreadPoolExecutor(2, thread_name_prefix="encode") as pool:
        parts = pool.map(work, [lines[i:i + 50] for i in range(0, len(lines), 50)])
        stream = [i for part in parts for i in part]
    usable = (len(stream) - 1) // length * length
    x = torch.tensor(stream[:usable]).view(-1, length)
    y = torch.tensor(stream[1:usable + 1]).view(-1, length)
    return x, y


def main(config):
    scratch = tempfile.mkdtemp(prefix="lm-")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
    log.info("tokens go through %s", scratch)
    set_seed(config["seed"])
    lines = recipes(config["lines"], config["seed"])
    bpe = Bpe.learn(lines, config["merges"])
    x, y = spans(bpe, lines, config["span"])
    words = {w for line in lines for w in line.split()}
    log.info("for example: %s", ", ".join(list(words)[:5]))
    np.save(f"{scratch}/x.npy", x.numpy())
    x = torch.from_numpy(np.load(f"{scratch}/x.npy"))
    print(f"{len(bpe.ids)} symbols, {len(bpe.merges)} merges, {x.numel()} tokens")

    model = GruLm(len(bpe.ids), config["width"])
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    for epoch in range(config["epochs"]):
        start, losses = time.time(), []
        for rows in torch.randperm(len(x)).split(config["batch"]):
            logits = model(x.index_select(0, rows))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.index_select(0, rows).flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch} perplexity {np.exp(np.mean(losses)):.3f} ({time.time() - start:.1f} s)")
    torch.save({"model": model.state_dict(), "merges": bpe.merges, "config": config}, "lm.pt")


if __name__ == "__main__":
    main(CONFIG)
