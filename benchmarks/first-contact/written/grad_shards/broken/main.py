"""Large-batch training of a bag-of-events model; the gradient of each shard runs on a thread pool."""
import copy
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
import torch
from torch import nn

SHARDS, THREADS = 6, 3


class EventModel(nn.Module):
    def __init__(self, kinds=80, width=32):
        super().__init__()
        self.embed = nn.Embedding(kinds, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, events):
        h, _ = self.gru(self.embed(events))
        return self.head(h.mean(1)).squeeze(-1)


def histories(n=480, seed=40):
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=80)
    out = []
    for _ in range(n):
        events = rng.integers(0, 80, rng.integers(4, 40))
        out.append((torch.from_numpy(events), float(risk[events].mean() > 0)))
    return sorted(out, key=lambda pair: len(pair[0]))


def collate(rows):
    width = max(len(e) for e, _ in rows)
    events = torch.zeros(len(rows), width, dtype=torch.long)
    for k, (e, _) in enumerate(rows):
        events[k, : len(e)] = e
    return events, torch.tensor([label for _, label in rows])


def shard_gradient(replica, events, labels):
    replica.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(replica(events), labels, reduction="sum")
    loss.backward()
    return [p.grad for p in replica.parameters()], loss.detach(), len(labels)


def main():
    torch.manual_seed(40)
    torch.set_num_threads(1)
    rows = histories()
    size = len(rows) // SHARDS
    shards = [collate(rows[k * size:(k + 1) * size]) for k in range(SHARDS)]
    model = EventModel()
    replicas = [copy.deepcopy(model) for _ in shards]
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    with ThreadPoolExecutor(THREADS) as pool:
        for step in range(25):
            began = time.time()
            for replica in replicas:
                replica.load_state_dict(model.state_dict())
            jobs = [pool.submit(shard_gradient, r, *s) for r, s in zip(replicas, shards)]
            total, loss, count = [torch.zeros_like(p) for p in model.parameters()], 0.0, 0
            for job in as_completed(jobs):
                grads, part, n = job.result()
                for t, g in zip(total, grads):
                    t += g
                loss, count = loss + part, count + n
            for p, t in zip(model.parameters(), total):
                p.grad = t / count
            optimizer.step()
            if step % 5 == 4:
                print(f"step {step + 1} loss {loss.item() / count:.4f} ({time.time() - began:.2f} s)")
    torch.save(model.state_dict(), "events.pt")
    print(f"final loss {loss.item() / count!r} norm {sum(p.double().square().sum() for p in model.parameters()).item()!r}")


if __name__ == "__main__":
    main()
