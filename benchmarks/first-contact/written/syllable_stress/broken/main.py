import random
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from corpus import ALPHABET, StressDataset, make_lexicon
from spelling import ScribalNoise

SEED = 1509
torch.set_num_threads(1)
EPOCHS = 3
BATCH = 60


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


class StressTagger(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(2 * dim, 2)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(self.drop(h.amax(1)))


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)

    words = make_lexicon(1300, SEED)
    random.shuffle(words)
    noise = ScribalNoise()
    train = StressDataset(words[:1080], noise)
    test = StressDataset(words[1080:])
    g = torch.Generator()
    g.manual_seed(SEED)
    loader = DataLoader(train, BATCH, shuffle=True, num_workers=2, worker_init_fn=seed_worker, generator=g)

    model = StressTagger()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    print(len(train), "words, e.g.", train.lexicon[0][0])
    for epoch in range(EPOCHS):
        t0 = time.time()
        noise.epoch = epoch
        model.train()
        losses = []
        for ids, label in loader:
            loss = nn.functional.cross_entropy(model(ids), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            hits = sum((model(i).argmax(1) == y).sum().item() for i, y in DataLoader(test, 100))
        print(f"epoch {epoch} loss {np.mean(losses):.6f} test accuracy {hits / len(test):.4f} ({time.time() - t0:.1f} s)")
    torch.save(model.state_dict(), "stress.pt")


if __name__ == "__main__":
    main()
