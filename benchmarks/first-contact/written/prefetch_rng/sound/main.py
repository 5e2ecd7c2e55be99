"""Character model fed by a thread pool that encodes, masks and pads documents ahead of time."""
import logging
import random
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

logging.basicConfig(format="%(asctime)s %(threadName)s %(message)s", level=logging.INFO, filename="train.log")
ALPHABET = "abcdefghijklmnopqrstuvwxyz "
MASK = len(ALPHABET)


def corpus(n=500):
    rnd = random.Random(8)
    stems = ["".join(rnd.choice(ALPHABET[:26]) for _ in range(rnd.randint(2, 6))) for _ in range(60)]
    return [" ".join(rnd.choices(stems, k=rnd.randint(4, 9))) for _ in range(n)]


class Batcher:
    """Keeps `ahead` batches in flight and hands them out in the order they were asked for."""

    def __init__(self, documents, batch, seed, ahead=4, threads=2):
        self.documents, self.batch, self.seed, self.ahead = documents, batch, seed, ahead
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="batch")
        self.seconds, self.lock = 0.0, threading.Lock()

    def prepare(self, epoch, number, members):
        start = time.perf_counter()
        rng = np.random.default_rng((self.seed, epoch, number))
        rows = [[ALPHABET.index(c) for c in self.documents[m]][:48] for m in members]
        width = max(map(len, rows))
        inputs = torch.full((len(rows), width), ALPHABET.index(" "))
        target = torch.full((len(rows), width), -100)
        for k, row in enumerate(rows):
            hidden = torch.from_numpy(rng.random(len(row)) < 0.15)
            row = torch.tensor(row)
            target[k, : len(row)] = torch.where(hidden, row, -100)
            inputs[k, : len(row)] = torch.where(hidden, MASK, row)
        with self.lock:
            self.seconds += time.perf_counter() - start
        logging.info("epoch %d batch %d ready", epoch, number)
        return inputs, target

    def __call__(self, epoch):
        order = np.random.default_rng((self.seed, epoch)).permutation(len(self.documents))
        groups = [order[i:i + self.batch] for i in range(0, len(order), self.batch)]
        flight = deque()
        for number, members in enumerate(groups):
            flight.append(self.pool.submit(self.prepare, epoch, number, members))
            if len(flight) > self.ahead:
                yield flight.popleft().result()
        while flight:
            yield flight.popleft().result()


class Filler(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(MASK + 1, width)
        self.conv = nn.Sequential(nn.Conv1d(width, 64, 5, padding=2), nn.ReLU(), nn.Dropout(0.1),
                                  nn.Conv1d(64, MASK, 5, padding=2))

    def forward(self, x):
        return self.conv(self.embed(x).transpose(1, 2))


def main():
    torch.manual_seed(0)
    batches = Batcher(corpus(), batch=25, seed=17)
    model = Filler()
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(3):
        losses = []
        for x, y in batches(epoch):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: {np.mean(losses):.4f} (preparing took {batches.seconds:.2f} s so far)")
    torch.save(model.state_dict(), "filler.pt")
    print("final", np.mean(losses))


if __name__ == "__main__":
    main()
