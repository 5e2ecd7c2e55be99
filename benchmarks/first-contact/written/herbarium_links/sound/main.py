#!/usr/bin/env python
# Embeds the co-occurrence graph of a (made-up) herbarium: specimens that were
# collected at the same place are linked; groups of specimens steer the negatives.
import json
import sys
import time

import torch

from herbarium.data import build_graph
from herbarium.groups import propagate
from herbarium.skipgram import SkipGram, pairs_from_walks
from herbarium.walks import NegativeTable, walk_corpus

CONFIG = dict(seed=77, places=9, specimens=120, dim=24, walks=3, length=9, window=2,
              negatives=4, epochs=3, batch=512, lr=0.02, rounds=4)


def link_score(model, graph, probes):
    emb = torch.nn.functional.normalize(model.centre.weight.detach(), dim=1)
    pos, neg = [], []
    for a, b in probes:
        value = float(emb[graph.index[a]] @ emb[graph.index[b]])
        (pos if b in graph.linked[a] else neg).append(value)
    wins = sum(p > n for p in pos for n in neg)
    return wins / max(1, len(pos) * len(neg))


def main():
    c = CONFIG
    torch.manual_seed(c["seed"])
    torch.set_num_threads(1)
    t0 = time.monotonic()
    graph = build_graph(c["specimens"], c["places"], c["seed"])
    print("%d specimens, %d links" % (len(graph.names), graph.n_links))

    groups = propagate(graph, c["rounds"])
    kinds = set(groups.values())
    print("%d groups after %d rounds" % (len(kinds), c["rounds"]))

    walks = walk_corpus(graph, c["walks"], c["length"], c["seed"])
    table = NegativeTable(graph, groups, c["seed"])
    centre, context = pairs_from_walks(walks, graph.index, c["window"])
    print("%d walks, %d pairs (%.2fs)" % (len(walks), len(centre), time.monotonic() - t0))

    model = SkipGram(len(graph.names), c["dim"])
    optimizer = torch.optim.Adagrad(model.parameters(), lr=c["lr"])
    history = []
    for epoch in range(c["epochs"]):
        order = torch.randperm(len(centre))
        total = 0.0
        for chunk in order.split(c["batch"]):
            negatives = table.draw(centre[chunk], c["negatives"])
            loss = model(centre[chunk], context[chunk], negatives)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chunk)
        history.append(total / len(centre))
        print("epoch %d: loss %.4f" % (epoch, history[-1]), file=sys.stderr)

    result = {
        "groups": len(kinds),
        "largest": max(sum(g == k for g in groups.values()) for k in kinds),
        "loss": history,
        "auc": link_score(model, graph, graph.probes),
    }
    torch.save({"names": graph.names, "state": model.state_dict()}, "herbarium.pt")
    with open("result.json", "w") as f:
        json.dump(result, f, sort_keys=True)
    print("auc %.4f, took %.1fs" % (result["auc"], time.monotonic() - t0))


if __name__ == "__main__":
    main()
