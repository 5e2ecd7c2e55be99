import random
import shutil
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from ingest import FAULTS, build
from split import load

SEED = 17
LABELS = sorted(FAULTS)


class NoteNet(nn.Module):
    def __init__(self, words, dim=48):
        super().__init__()
        self.emb = nn.Embedding(words, dim, padding_idx=0)
        self.gru = nn.GRU(dim, 40, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(80, len(LABELS))

    def forward(self, x):
        h, _ = self.gru(self.drop(self.emb(x)))
        h = h.masked_fill((x == 0).unsqueeze(-1), float("-inf")).amax(1)
        return self.out(self.drop(h))


def encode(rows, vocab, width=20):
    x = torch.zeros(len(rows), width, dtype=torch.long)
    for i, (body, _) in enumerate(rows):
        ids = [vocab.get(w, 1) for w in body.split()][:width]
        x[i, : len(ids)] = torch.tensor(ids)
    return x, torch.tensor([LABELS.index(f) for _, f in rows])


class MaskedNotes(torch.utils.data.Dataset):
    """Now and then a word is hidden, so that the network does not lean on single terms."""

    def __init__(self, x, y, rate=0.1):
        self.x, self.y, self.rate = x, y, rate

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        hide = (torch.rand(self.x.shape[1]) < self.rate) & (self.x[i] > 0)
        return self.x[i].masked_fill(hide, 1), self.y[i]


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    logits = model(x)
    model.train()
    return (logits.argmax(1) == y).float().mean().item(), nn.functional.cross_entropy(logits, y).item()


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    run = Path("runs") / f"{time.strftime('%Y-%m-%d')}-{uuid.uuid4().hex[:6]}"
    run.mkdir(parents=True)
    work = tempfile.mkdtemp(prefix="notes-")
    print("run", run, "working in", work)

    parts = load(build(Path(work) / "notes.sqlite"))
    words = sorted({w for body, _ in parts["train"] for w in body.split()})
    vocab = {w: i + 2 for i, w in enumerate(words)}
    data = {name: encode(rows, vocab) for name, rows in parts.items()}

    loader = DataLoader(MaskedNotes(*data["train"]), batch_size=64, shuffle=True, num_workers=1, persistent_workers=True)
    model = NoteNet(len(vocab) + 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    best = (-1.0, None)
    for epoch in range(5):
        began = time.time()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        acc, loss = accuracy(model, *data["val"])
        print(f"{time.strftime('%H:%M:%S')} epoch {epoch} took {time.time() - began:.1f}s")
        print(f"val epoch={epoch} accuracy={acc:.4f} loss={loss:.5f}")
        if acc > best[0]:
            best = (acc, epoch)
            torch.save(model.state_dict(), run / "best.pt")

    model.load_state_dict(torch.load(run / "best.pt"))
    acc, loss = accuracy(model, *data["test"])
    print(f"test best_epoch={best[1]} accuracy={acc:.4f} loss={loss:.6f}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
