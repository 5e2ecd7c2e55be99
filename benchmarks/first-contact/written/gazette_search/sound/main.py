"""A dual encoder that finds articles of an old gazette, trained with mined negatives."""

import argparse
import time

import numpy as np
import torch
from torch import nn

from mining import Miner, MinerConfig


def archive(articles=4000, queries=800, terms=600, seed=1789):
    """Bags of words: a query is a few of the article's words, with others thrown in."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(terms, 0.05), 40)
    counts = np.stack([rng.multinomial(50, topics[t]) for t in rng.integers(0, 40, articles)])
    relevant = rng.choice(articles, queries, replace=False)
    asked = np.zeros((queries, terms), dtype=np.int64)
    for row, article in enumerate(relevant):
        asked[row] = rng.multinomial(6, counts[article] / 50) + rng.multinomial(2, np.full(terms, 1 / terms))
    as_tensor = lambda bag: torch.from_numpy(np.log1p(bag).astype(np.float32))
    return as_tensor(counts), as_tensor(asked), torch.from_numpy(relevant)


class Encoder(nn.Module):
    def __init__(self, terms, width=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(terms, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, width))

    def forward(self, bags):
        return nn.functional.normalize(self.layers(bags), dim=-1)


@torch.no_grad()
def reciprocal_rank(encoder, articles, queries, relevant):
    encoder.eval()
    scores = encoder(queries) @ encoder(articles).T
    own = scores.gather(1, relevant[:, None])
    return (1 / (scores >= own).sum(1).float()).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--temperature", type=float, default=0.07)
    parser.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    articles, queries, relevant = archive()
    cut = 640
    encoder = Encoder(articles.shape[1])
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=2e-3)
    miner = Miner(MinerConfig(), articles)
    miner.warm_up(encoder)

    for epoch in range(args.epochs):
        began, total = time.perf_counter(), 0.0
        for rows in torch.randperm(cut).split(args.batch):
            asked, own = queries[rows], relevant[rows]
            negatives = miner.mine(encoder, asked, own)
            q, good, bad = encoder(asked), encoder(articles[own]), encoder(articles[negatives])
            logits = torch.cat([q @ good.T, torch.einsum("qd,qnd->qn", q, bad)], 1) / args.temperature
            loss = nn.functional.cross_entropy(logits, torch.arange(len(rows)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch}  loss {total / cut:.6f}  {time.perf_counter() - began:.2f} s")

    print(f"encoder speed at the start: {miner.rate:.0f} articles/s")
    mrr = reciprocal_rank(encoder, articles, queries[cut:], relevant[cut:])
    checksum = sum(p.double().sum().item() for p in encoder.parameters())
    print(f"MRR {mrr:.6f}  weights {checksum:.10f}")


if __name__ == "__main__":
    main()
