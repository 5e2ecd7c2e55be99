"""Two-tower retrieval on implicit feedback. Users are bags of their past items (EmbeddingBag)."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from samplers import NegativeSampler

N_USERS, N_ITEMS, DIM, K_NEG = 300, 200, 24, 4


def simulate(seed):
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(N_USERS, 6))
    genre = rng.normal(size=(N_ITEMS, 6))
    score = taste @ genre.T + rng.gumbel(size=(N_USERS, N_ITEMS))
    pairs = [(u, i) for u in range(N_USERS) for i in np.argsort(-score[u])[:12]]
    pairs = np.array(pairs)
    held = pairs[11::12]
    train = np.delete(pairs, np.s_[11::12], axis=0)
    return train, held


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.history = nn.EmbeddingBag(N_ITEMS, DIM, mode="mean")
        self.user_mlp = nn.Sequential(nn.Linear(DIM, DIM), nn.ReLU(), nn.Linear(DIM, DIM))
        self.item = nn.Embedding(N_ITEMS, DIM)

    def user(self, items, offsets):
        return self.user_mlp(self.history(items, offsets))

    def forward(self, items, offsets, candidates):
        u = self.user(items, offsets)
        return torch.einsum("bd,bkd->bk", u, self.item(candidates))


def bag(histories):
    lengths = torch.tensor([0] + [len(h) for h in histories[:-1]])
    return torch.cat(histories), lengths.cumsum(0)


def recall_at(model, histories, held, k=10):
    model.eval()
    with torch.no_grad():
        scores = model.user(*bag(histories)) @ model.item.weight.T
        for u, h in enumerate(histories):
            scores[u, h] = -1e9
        top = scores.topk(k, dim=1).indices
    return (top == torch.as_tensor(held[:, 1])[:, None]).any(1).float().mean().item()


def main(seed=2024, epochs=4, batch=100):
    torch.manual_seed(seed)
    np.random.seed(seed)
    train, held = simulate(seed)
    histories = [torch.as_tensor(train[train[:, 0] == u, 1]) for u in range(N_USERS)]
    sampler = NegativeSampler(train, N_ITEMS)

    model = TwoTower()
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        model.train()
        perm = np.random.permutation(len(train))
        total = 0.0
        for start in range(0, len(train), batch):
            rows = train[perm[start:start + batch]]
            negatives = sampler.draw(rows[:, 0], K_NEG)
            candidates = torch.as_tensor(np.column_stack([rows[:, 1], negatives]))
            logits = model(*bag([histories[u] for u in rows[:, 0]]), candidates)
            loss = F.cross_entropy(logits, torch.zeros(len(rows), dtype=torch.long))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch}: loss {total / len(train):.6f} recall@10 {recall_at(model, histories, held):.4f}")
    np.save("item_vectors.npy", model.item.weight.detach().numpy())


if __name__ == "__main__":
    main()
