import random
import time

import numpy as np
import torch
from batching import LengthGroupedBatches, pad_to_longest
from torch import nn
from torch.utils.data import DataLoader

SEED, VOCAB, EPOCHS, BATCH = 17, 80, 3, 32

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.use_deterministic_algorithms(True)


def make_reviews(n):
    """Fake reviews: word ids with a sentiment, the label is the sign of the sum."""
    feeling = np.random.randn(VOCAB)
    reviews = []
    for _ in range(n):
        words = np.random.randint(1, VOCAB, size=np.random.randint(4, 36))
        reviews.append((words.tolist(), int(feeling[words].sum() > 0)))
    return reviews


class ConvPool(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 48, padding_idx=0)
        self.conv = nn.Conv1d(48, 64, 3, padding=1)
        self.head = nn.Linear(64, 1)
        self.drop = nn.Dropout(0.2)

    def forward(self, ids):
        mask = (ids != 0).unsqueeze(1)
        h = self.conv(self.embed(ids).transpose(1, 2)).relu()
        h = (h * mask).sum(2) / mask.sum(2)
        return self.head(self.drop(h)).squeeze(1)


train, test = make_reviews(1500), make_reviews(300)
batches = LengthGroupedBatches([len(w) for w, _ in train], BATCH)
train_loader = DataLoader(train, batch_sampler=batches, collate_fn=pad_to_longest)
test_loader = DataLoader(test, batch_size=100, collate_fn=pad_to_longest)

model = ConvPool()
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
criterion = nn.BCEWithLogitsLoss()

for epoch in range(1, EPOCHS + 1):
    begin = time.perf_counter()
    model.train()
    running = 0.0
    for step, (ids, y) in enumerate(train_loader, 1):
        optimizer.zero_grad()
        loss = criterion(model(ids), y)
        loss.backward()
        optimizer.step()
        running += loss.item()
        if step % 16 == 0:
            print(f"\r  {step}/{len(batches)}  loss {running / step:.4f}", end="", flush=True)
    model.eval()
    with torch.no_grad():
        hits = sum(((model(ids) > 0) == (y > 0.5)).sum().item() for ids, y in test_loader)
    print(f"\nepoch {epoch}: test accuracy {hits / len(test):.3f}  ({time.perf_counter() - begin:.1f} s)")

torch.save(model.state_dict(), "convpool.pt")
