"""Predicts a purchase from a session of product identifiers (hashed into buckets)."""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from collate import BUCKETS, PadCollate


def sessions(n, seed):
    rng = np.random.default_rng(seed)
    products = rng.integers(10 ** 6, 10 ** 12, 400)
    liked = rng.random(400) < 0.4
    out = []
    for _ in range(n):
        picks = rng.integers(0, 400, rng.integers(3, 30))
        out.append((products[picks], float(liked[picks].mean() + 0.1 * rng.normal() > 0.4)))
    return out


class SessionModel(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed = nn.Embedding(BUCKETS, width)
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        self.out = nn.Linear(width, 1)

    def forward(self, ids, length):
        h = torch.relu(self.mix(self.embed(ids).transpose(1, 2))).transpose(1, 2)
        mask = torch.arange(ids.shape[1]) < length[:, None]
        pooled = (h * mask.unsqueeze(-1)).sum(1) / length[:, None]
        return self.out(pooled).squeeze(1)


def main(seed=36):
    np.random.seed(seed)
    torch.manual_seed(seed)
    data = sessions(1200, seed)
    loader = DataLoader(data, batch_size=24, shuffle=True, collate_fn=PadCollate())
    model = SessionModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        start, total = time.time(), 0.0
        for ids, length, labels in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(ids, length), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f} {time.time() - start:.1f} s")
    torch.save(model.state_dict(), "sessions.pt")
    print(f"final loss {total / len(loader)!r}")


if __name__ == "__main__":
    main()
