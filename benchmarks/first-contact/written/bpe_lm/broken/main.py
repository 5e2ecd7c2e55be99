"""A small GRU language model over subwords of recipes."""
import random
import time

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


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def spans(bpe, lines, length):
    stream = [i for line in lines for i in bpe.encode(line)]
    usable = (len(stream) - 1) // length * length
    x = torch.tensor(stream[:usable]).view(-1, length)
    y = torch.tensor(stream[1:usable + 1]).view(-1, length)
    return x, y


def main(config):
    set_seed(config["seed"])
    lines = recipes(config["lines"], config["seed"])
    bpe = Bpe.learn(lines, config["merges"])
    x, y = spans(bpe, lines, config["span"])
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
