import os
import time

import torch
from triage.model import HashedBag
from triage.tickets import fetch, split

SEED = int(os.environ.get("TRIAGE_SEED", 5))


def batches(items, size):
    order = torch.randperm(len(items)).tolist()
    for i in range(0, len(order), size):
        yield [items[j] for j in order[i:i + size]]


def bce(model, tickets):
    target = torch.tensor([float(t.urgent) for t in tickets])
    return torch.nn.functional.binary_cross_entropy_with_logits(model([t.subject for t in tickets]), target)


torch.manual_seed(SEED)
train, valid = split(fetch(1600, SEED))
model = HashedBag()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(1, 7):
    t = time.time()
    model.train()
    for batch in batches(train, 40):
        optimizer.zero_grad()
        loss = bce(model, batch)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        held_out = bce(model, valid).item()
    print(f"epoch {epoch}/6 - loss: {loss.item():.4f} - val_loss: {held_out:.4f} - {time.time() - t:.2f}s")
torch.save(model.state_dict(), "triage.pt")
