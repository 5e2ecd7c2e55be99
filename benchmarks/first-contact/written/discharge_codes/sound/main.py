"""Readmission within 30 days, from the diagnosis codes found in discharge notes."""
import csv
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from records import StayDataset, build_index, synthesize

SEED = 30
SLOTS = 8
EPOCHS = 2


class CodeAttention(nn.Module):
    """Attention over the codes of a stay; the first slots carry their place."""

    def __init__(self, codes: int, slots: int, dim: int = 24):
        super().__init__()
        self.embed = nn.Embedding(codes, dim, padding_idx=0)
        self.place = nn.Parameter(torch.randn(slots, dim) * 0.02)
        self.score = nn.Linear(dim, 1)
        self.head = nn.Sequential(nn.Linear(dim + 2, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))

    def forward(self, rows, context):
        x = self.embed(rows) + self.place
        weight = self.score(torch.tanh(x)).squeeze(2)
        weight = weight.masked_fill(rows == 0, -1e9).softmax(dim=1)
        pooled = (x * weight.unsqueeze(2)).sum(1)
        return self.head(torch.cat([pooled, context], 1)).squeeze(1)


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    loss = 0.0
    with torch.no_grad():
        for rows, context, label in loader:
            logit = model(rows, context)
            loss += nn.functional.binary_cross_entropy_with_logits(logit, label, reduction="sum").item()
            hits += int(((logit > 0).float() == label).sum())
            total += len(label)
    return loss / total, hits / total


def main():
    torch.manual_seed(SEED)
    begin = time.perf_counter()
    stays = synthesize(2400, SEED)
    train, test = stays[:2000], stays[2000:]
    index = build_index(train)
    shuffle = torch.Generator().manual_seed(SEED)
    train_loader = DataLoader(
        StayDataset(train, index, SLOTS),
        batch_size=50,
        shuffle=True,
        num_workers=2,
        persistent_workers=True,
        generator=shuffle,
    )
    test_loader = DataLoader(StayDataset(test, index, SLOTS), batch_size=200)

    model = CodeAttention(len(index) + 2, SLOTS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    with tempfile.TemporaryDirectory() as folder:
        history = Path(folder) / "history.csv"
        with history.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["epoch", "loss", "accuracy", "seconds"])
            for epoch in range(EPOCHS):
                model.train()
                for rows, context, label in train_loader:
                    optimizer.zero_grad()
                    loss = nn.functional.binary_cross_entropy_with_logits(model(rows, context), label)
                    loss.backward()
                    optimizer.step()
                test_loss, accuracy = evaluate(model, test_loader)
                writer.writerow([epoch, test_loss, accuracy, round(time.perf_counter() - begin, 2)])
        rows = list(csv.DictReader(history.open()))
    for row in rows:
        print(f"epoch {row['epoch']} loss {float(row['loss']):.6f} accuracy {float(row['accuracy']):.4f}")
    print(f"codes {len(index)} weights {sum(p.double().norm().item() for p in model.parameters()):.9f}")
    print(f"elapsed {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
