"""Matrix factorisation recommender trained by two processes on a shared model."""
import time

import torch
import torch.multiprocessing as mp
from torch import nn

USERS, ITEMS, RANK = 300, 200, 12


class Factorisation(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(USERS, RANK)
        self.item = nn.Embedding(ITEMS, RANK)
        self.bias = nn.Embedding(ITEMS, 1)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=0.2)
        nn.init.zeros_(self.bias.weight)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)


def ratings(seed, n=12000):
    g = torch.Generator().manual_seed(seed)
    taste = torch.randn(USERS, 5, generator=g)
    style = torch.randn(ITEMS, 5, generator=g)
    u = torch.randint(USERS, (n,), generator=g)
    i = torch.randint(ITEMS, (n,), generator=g)
    r = (taste[u] * style[i]).sum(-1) + 0.1 * torch.randn(n, generator=g)
    return u, i, r


def run_worker(rank, workers, model, seed, epochs):
    torch.set_num_threads(1)
    torch.manual_seed(seed + rank)
    u, i, r = (t[rank::workers] for t in ratings(seed))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(epochs):
        order = torch.randperm(len(u))
        for idx in order.split(64):
            optimizer.zero_grad()
            loss = (model(u[idx], i[idx]) - r[idx]).square().mean()
            loss.backward()
            optimizer.step()
        print(f"worker {rank} epoch {epoch} loss {loss.item():.4f}", flush=True)


def main(seed=5, workers=2, epochs=6):
    torch.manual_seed(seed)
    model = Factorisation()
    model.share_memory()
    started = time.time()
    procs = [
        mp.Process(target=run_worker, args=(rank, workers, model, seed, epochs))
        for rank in range(workers)
    ]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    print(f"trained in {time.time() - started:.1f} s")
    u, i, r = ratings(seed)
    with torch.no_grad():
        rmse = (model(u, i) - r).square().mean().sqrt().item()
    torch.save(model.state_dict(), "factors.pt")
    print(f"final rmse {rmse!r}")


if __name__ == "__main__":
    mp.set_start_method("fork")
    main()
