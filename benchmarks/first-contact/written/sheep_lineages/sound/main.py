"""Resistance to worms in a flock, from contacts between animals: a graph network with dropped edges."""
import argparse
import hashlib
import os
import tempfile
import time

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

import flock


class Layer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.own = nn.Linear(inputs, outputs)
        self.near = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x, edges):
        source, target = edges
        total = torch.zeros_like(x).index_add(0, target, x[source])
        count = torch.zeros(len(x)).index_add(0, target, torch.ones(len(target)))
        return self.own(x) + self.near(total / count.clamp(min=1)[:, None])


class FlockNet(nn.Module):
    def __init__(self, inputs, hidden, drop):
        super().__init__()
        self.layers = nn.ModuleList([Layer(inputs, hidden), Layer(hidden, hidden)])
        self.out = nn.Linear(hidden, 1)
        self.drop = drop

    def forward(self, x, edges):
        for layer in self.layers:
            kept = edges
            if self.training:
                kept = edges[:, torch.rand(edges.shape[1]) >= self.drop]
            x = torch.relu(layer(x, kept))
        return self.out(x).squeeze(1)


def folds(count, seed):
    shuffled = torch.from_numpy(np.random.default_rng(seed).permutation(count))
    return shuffled[: count * 6 // 10], shuffled[count * 6 // 10: count * 8 // 10], shuffled[count * 8 // 10:]


def auc(model, data, rows):
    model.eval()
    with torch.no_grad():
        scores = model(data.features, data.edges)[rows]
    model.train()
    return roc_auc_score(data.resistant[rows].numpy(), scores.numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--animals", type=int, default=420)
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--drop", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=314)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        book = os.path.join(folder, "book.sqlite")
        flock.write_book(book, args.animals, args.seed)
        data = flock.read_book(book)
        print(f"{len(data.names)} animals, {data.edges.shape[1] // 2} contacts, "
              f"{int(data.resistant.sum())} resistant")

        fit, choose, test = folds(args.animals, args.seed)
        model = FlockNet(data.features.shape[1], args.hidden, args.drop)
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
        best, best_path = 0.0, os.path.join(folder, "best.pt")
        begun = time.perf_counter()
        for epoch in range(args.epochs):
            scores = model(data.features, data.edges)
            loss = nn.functional.binary_cross_entropy_with_logits(scores[fit], data.resistant[fit].float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 10 == 9:
                score = auc(model, data, choose)
                if score >= best:
                    best = score
                    torch.save({"model": model.state_dict(), "epoch": epoch}, best_path)
                print(f"epoch {epoch + 1:3d}  loss {loss.item():.6f}  validation {score:.4f}")
        print(f"{1e3 * (time.perf_counter() - begun) / args.epochs:.1f} ms for each epoch")
        last = hashlib.sha1(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
        model.load_state_dict(torch.load(best_path)["model"])
    print(f"test auc {auc(model, data, test):.6f}  last weights {last[:20]}")


if __name__ == "__main__":
    main()
