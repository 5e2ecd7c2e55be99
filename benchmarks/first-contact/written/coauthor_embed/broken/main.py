import argparse
import random

import torch
from network import reachable_from, synthetic_community
from torch import nn
from tqdm import tqdm


class SkipGram(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.inner = nn.Embedding(n, dim)
        self.outer = nn.Embedding(n, dim)
        nn.init.uniform_(self.inner.weight, -0.5 / dim, 0.5 / dim)
        nn.init.uniform_(self.outer.weight, -0.5 / dim, 0.5 / dim)

    def forward(self, a, b, noise):
        va = self.inner(a)
        good = torch.einsum("nd,nd->n", va, self.outer(b))
        bad = torch.einsum("nd,nkd->nk", va, self.outer(noise))
        softplus = nn.functional.softplus
        return (softplus(-good) + softplus(bad).sum(1)).mean()


def random_pairs(people, row_of, rnd, hops=6, window=2):
    pairs = []
    for person in people:
        trail = [row_of[person]]
        for _ in range(hops):
            person = rnd.choice(person.wrote_with)
            trail.append(row_of[person])
        pairs += [(trail[i], trail[i + d]) for d in range(1, window + 1) for i in range(len(trail) - d)]
    return torch.tensor(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=1500)
    parser.add_argument("--topics", type=int, default=6)
    parser.add_argument("--dim", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    rnd = random.Random(args.seed)
    everyone = synthetic_community(args.people, args.topics, args.seed)
    people = reachable_from(everyone[0])
    row_of = {p: i for i, p in enumerate(people)}
    print(f"kept {len(people)} of {len(everyone)} people")

    model = SkipGram(len(people), args.dim)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)
    for epoch in range(1, args.epochs + 1):
        pairs = random_pairs(people, row_of, rnd)
        chunks = pairs[torch.randperm(len(pairs))].split(1024)
        bar = tqdm(chunks, desc=f"epoch {epoch}", leave=False)
        mean = 0.0
        for chunk in bar:
            noise = torch.randint(0, len(people), (len(chunk), 5))
            loss = model(chunk[:, 0], chunk[:, 1], noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            mean += loss.item() / len(chunks)
            bar.set_postfix(loss=f"{loss.item():.3f}")
        print(f"epoch {epoch}: {mean:.5f}")
    vectors = {p.name: model.inner.weight[i].detach().clone() for p, i in row_of.items()}
    torch.save(vectors, "people.pt")
    p0, p1 = vectors["p0000"], vectors[everyone[0].wrote_with[0].name]
    print(f"similarity of p0000 to a colleague: {torch.cosine_similarity(p0, p1, dim=0).item():.4f}")


if __name__ == "__main__":
    main()
