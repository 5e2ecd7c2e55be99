"""Learns to predict shortest paths; Dijkstra with a counted heap, nodes as objects, weak back links."""
import heapq
import itertools
import random
import time
import weakref

import torch
from torch import nn


class Node:
    count = itertools.count()
    living = weakref.WeakSet()

    def __init__(self, x, y):
        self.number, self.x, self.y = next(Node.count), x, y
        self.edges, self.parent = [], None
        Node.living.add(self)

    def link(self, other):
        length = round(2 * ((self.x - other.x) ** 2 + (self.y - other.y) ** 2) ** 0.5 + 0.5)
        self.edges.append((other, length))
        other.edges.append((self, length))


def road_map(n, rnd):
    nodes = [Node(rnd.random() * 10, rnd.random() * 10) for _ in range(n)]
    for node in nodes:
        near = sorted(nodes, key=lambda o: (o.x - node.x) ** 2 + (o.y - node.y) ** 2)[1:4]
        joined = {other for other, _ in node.edges}
        for other in near:
            if other not in joined:
                node.link(other)
    return nodes


def distances(start):
    done, ticket = {}, itertools.count()
    heap = [(0, next(ticket), start, None)]
    while heap:
        length, _, node, parent = heapq.heappop(heap)
        if node in done:
            continue
        done[node] = length
        node.parent = weakref.ref(parent) if parent else None
        for other, step in node.edges:
            if other not in done:
                heapq.heappush(heap, (length + step, next(ticket), other, node))
    return done


def hops(node):
    n = 0
    while node.parent is not None:
        node, n = node.parent(), n + 1
    return n


def main():
    began = time.time()
    rnd = random.Random(77)
    torch.manual_seed(77)
    nodes = road_map(150, rnd)
    rows = []
    for start in rnd.sample(nodes, 20):
        for goal, length in distances(start).items():
            rows.append((start.x, start.y, goal.x, goal.y, length / 10, hops(goal) / 10))
    print(f"{len(rows)} paths between {len(Node.living)} nodes in {time.time() - began:.2f} s")
    table = torch.tensor(rows)
    model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.05), nn.Linear(64, 2))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        for batch in table[torch.randperm(len(table))].split(64):
            error = (model(batch[:, :4]) - batch[:, 4:]).abs().sum(1)
            hard = error.topk(min(48, len(error))).values.mean()
            opt.zero_grad()
            hard.backward()
            opt.step()
    torch.save(model.state_dict(), "paths.pt")
    print("final error of the hardest", hard.item(), "mean", error.mean().item())


if __name__ == "__main__":
    main()
