"""Prior-art search: learn to put an application's abstract near the claims it infringes.

Hard negatives come from a nearest-neighbour table over all claims. The table is rebuilt in
a background thread, from a copy of the encoder, while training goes on with the old one.
"""
import argparse

import torch
import torch.nn.functional as F

from corpus import make_corpus
from encoder import Encoder, ndcg
from mining import NegativeMiner


def contrastive(query, positive, negative, temperature=0.07):
    in_batch = query @ positive.T
    hard = (query.unsqueeze(1) * negative).sum(-1)
    logits = torch.cat([in_batch, hard], dim=1) / temperature
    return F.cross_entropy(logits, torch.arange(len(query)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--negatives", type=int, default=4)
    parser.add_argument("--refresh", type=int, default=12)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    abstracts, claims = make_corpus(2200)
    train, test = torch.arange(0, 1800), torch.arange(1800, 2200)

    model = Encoder(vocabulary=3000)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    miner = NegativeMiner(model, abstracts[train], claims, every=args.refresh)
    picks = torch.Generator().manual_seed(args.seed)

    running = 0.0
    for step in range(args.steps):
        miner.update(model, step)
        rows = torch.randint(len(train), (args.batch,), generator=picks)
        hard = miner.negatives(rows, args.negatives, picks)
        query = model(abstracts[rows])
        positive = model(claims[rows])
        negative = model(claims[hard.flatten()]).view(args.batch, args.negatives, -1)

        loss = contrastive(query, positive, negative)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        if step % 50 == 49:
            print(f"step {step + 1:4d}  loss {running / 50:.5f}")
            running = 0.0
    miner.close()

    model.eval()
    with torch.no_grad():
        scores = model(abstracts[test]) @ model(claims).T
    rank = (scores > scores.gather(1, test.unsqueeze(1))).sum(1)
    print(f"recall@1 {(rank < 1).float().mean():.4f}  recall@20 {(rank < 20).float().mean():.4f}  "
          f"ndcg {ndcg(rank):.5f}")
    torch.save({"encoder": model.state_dict(), "args": vars(args)}, "encoder.pt")


if __name__ == "__main__":
    main()
