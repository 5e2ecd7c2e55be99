"""A small model of letters, trained on a novel that is kept in shards."""
import argparse
import math
import os
import random
import tempfile
import time

import numpy as np
import torch
from torch import nn

from shards import load, prepare, write_chapter


class Reader(nn.Module):
    def __init__(self, letters, width=48):
        super().__init__()
        self.embed = nn.Embedding(letters, 24)
        self.gru = nn.GRU(24, width, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(width, letters)

    def forward(self, x, state=None):
        y, state = self.gru(self.embed(x), state)
        return self.out(self.drop(y)), state


def columns(stream, count):
    """The stream as count columns that are read side by side."""
    length = len(stream) // count
    return torch.from_numpy(stream[:length * count].astype(np.int64)).view(count, length)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--chapters", type=int, default=14)
    parser.add_argument("--span", type=int, default=32)
    parser.add_argument("--batch", type=int, default=16)
    options = parser.parse_args()
    random.seed(options.seed)
    np.random.seed(options.seed)
    torch.manual_seed(options.seed)

    with tempfile.TemporaryDirectory(prefix="novel-") as folder:
        began = time.perf_counter()
        total = prepare([write_chapter(n, options.seed) for n in range(options.chapters)], folder)
        print(f"{total} letters prepared in {time.perf_counter() - began:.2f} s")
        stream, letters = load(folder)

        text = columns(stream, options.batch)
        model = Reader(len(letters))
        optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=1e-2, total_steps=(text.shape[1] - 1) // options.span)
        state, losses, began = None, [], time.perf_counter()
        model.train()
        for start in range(0, text.shape[1] - 1 - options.span, options.span):
            x = text[:, start:start + options.span]
            y = text[:, start + 1:start + options.span + 1]
            scores, state = model(x, state)
            state = state.detach()
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            if len(losses) % 20 == 0:
                torch.save({"model": model.state_dict(), "steps": len(losses)}, os.path.join(folder, "last.pt"))
                rate = len(losses) * x.numel() / (time.perf_counter() - began)
                print(f"step {len(losses):4d}  loss {losses[-1]:.5f}  {rate:,.0f} letters/s")
        kept = torch.load(os.path.join(folder, "last.pt"))
    print(f"perplexity {math.exp(sum(losses[-10:]) / 10):.6f}, checkpoint of step {kept['steps']}")
    print("weights", float(sum(p.detach().double().abs().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
