"""Message passing over terpene skeletons."""
import dataclasses
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

from config import Experiment, save_settings, seed_torch
from molecules import ELEMENTS, collate, corpus


class Encoder(nn.Module):
    def __init__(self, experiment):
        super().__init__()
        self.embed = nn.Embedding(len(ELEMENTS), experiment.hidden)
        self.message = nn.ModuleList(
            nn.Linear(2 * experiment.hidden, experiment.hidden) for _ in range(experiment.rounds))
        self.readout = nn.Linear(experiment.hidden, 1)
        self.activation = experiment.activation

    def forward(self, nodes, edges, owner, count):
        state = self.embed(nodes)
        for layer in self.message:
            incoming = torch.zeros_like(state).index_add(0, edges[1], state[edges[0]])
            state = state + self.activation(layer(torch.cat([state, incoming], 1)))
        pooled = torch.zeros(count, state.shape[1]).index_add(0, owner, state)
        return self.readout(pooled).squeeze(1) / 10


def train(experiment):
    seed_torch(experiment)
    items = corpus(experiment.molecules)
    order = experiment.stream("split").permutation(len(items))
    cut = len(items) * 4 // 5
    train_items = [items[i] for i in order[:cut]]
    test_items = [items[i] for i in order[cut:]]
    model = Encoder(experiment)
    optimizer = torch.optim.AdamW(model.parameters(), lr=experiment.lr)
    shuffle = experiment.stream("batches")
    for epoch in range(experiment.epochs):
        rows = shuffle.permutation(cut)
        for start in range(0, cut, 26):
            batch = [train_items[i] for i in rows[start:start + 26]]
            nodes, edges, owner, targets = collate(batch)
            loss = nn.functional.huber_loss(model(nodes, edges, owner, len(batch)), targets)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    with torch.no_grad():
        nodes, edges, owner, targets = collate(test_items)
        error = (model(nodes, edges, owner, len(test_items)) - targets).abs().mean().item()
    return error, model


def main():
    base = Experiment()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for hidden in (24, 48):
            experiment = dataclasses.replace(base, hidden=hidden)
            began = time.perf_counter()
            error, model = train(experiment)
            save_settings(experiment, Path(folder) / f"settings-{hidden}.json")
            torch.save(model.state_dict(), Path(folder) / f"encoder-{hidden}.pt")
            print(f"[{experiment.name}] hidden {hidden}: {time.perf_counter() - began:.2f} s", file=sys.stderr)
            results[hidden] = error
        best = min(results, key=results.get)
        weights = torch.load(Path(folder) / f"encoder-{best}.pt")
    for hidden, error in results.items():
        print(f"hidden {hidden:3d}: mean absolute error {error:.7f}")
    print(f"chosen {best}, weights {sum(w.double().abs().sum().item() for w in weights.values()):.9f}")


if __name__ == "__main__":
    main()
