import random

import numpy as np
import torch
from torch.nn import functional as F

NEGATIVES = 12
BATCH = 50


def collate(catalogue, numbers):
    notes, candidates = [], []
    for number in numbers:
        part, note = catalogue.order(number)
        notes.append(note)
        candidates.append([part, *catalogue.lookalikes(part, NEGATIVES)])
    return torch.from_numpy(np.stack(notes)), torch.tensor(candidates)


def fit(model, catalogue, numbers, epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 5e-3, total_steps=epochs * (len(numbers) // BATCH))
    shuffler = random.Random(catalogue.seed + 1)
    history = []
    model.train()
    for epoch in range(epochs):
        shuffler.shuffle(numbers)
        losses = []
        for at in range(0, len(numbers) - BATCH + 1, BATCH):
            notes, candidates = collate(catalogue, numbers[at:at + BATCH])
            # the right part is always the first candidate
            loss = F.cross_entropy(model(notes, candidates), torch.zeros(BATCH, dtype=torch.long))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        history.append(sum(losses) / len(losses))
        print(f"epoch {epoch}: loss {history[-1]:.5f}", flush=True)
    return history


@torch.no_grad()
def evaluate(model, catalogue, numbers):
    """Rank of the right part among all parts of the catalogue."""
    model.eval()
    parts, notes = zip(*(catalogue.order(n) for n in numbers))
    scores = model.notes(torch.from_numpy(np.stack(notes))) @ model.parts(torch.arange(len(model.vectors))).T
    right = scores.gather(1, torch.tensor(parts)[:, None])
    rank = (scores > right).sum(1) + 1
    return {"hit@5": (rank <= 5).float().mean().item(), "mrr": (1 / rank).mean().item()}
