"""Neighbour sampling: for every seed a capped set of neighbours, and of theirs."""
import torch


class Block:
    """Feature rows, and per layer the (target, source, weight) of each mean."""

    def __init__(self, rows, layers, seeds):
        self.rows, self.layers, self.seeds = rows, layers, seeds


class NeighbourSampler:
    def __init__(self, graph, fanout, rng):
        self.graph, self.fanout, self.rng = graph, fanout, rng
        self.cut = 0
        venues = {name: i for i, name in enumerate(sorted(set(graph.venue.values())))}
        self.width = len(venues) + 2
        self.features = {}
        for p in graph.papers:
            row = torch.zeros(self.width)
            row[venues[graph.venue[p]]] = 1.0
            row[-2] = (graph.year[p] - 2005) / 10
            row[-1] = len(graph.near[p]) / 10
            self.features[p] = row

    def pick(self, paper, limit):
        near = self.graph.near[paper]
        if limit is None or len(near) <= limit:
            return sorted(near)
        self.cut += 1
        return self.rng.sample(list(near), limit)

    def _expand(self, seeds, limits):
        index = {p: i for i, p in enumerate(seeds)}
        layers, frontier = [], list(seeds)
        for limit in limits:
            edges, reached = [], set()
            for p in frontier:
                chosen = self.pick(p, limit)
                for q in chosen:
                    if q not in index:
                        index[q] = len(index)
                        reached.add(q)
                    edges.append((index[p], index[q], 1.0 / len(chosen)))
            layers.append(edges)
            frontier = sorted(reached)
        rows = torch.stack([self.features[p] for p in index])
        # the widest layer is applied first
        tables = []
        for depth in range(len(limits)):
            merged = [e for edges in layers[:len(limits) - depth] for e in edges]
            target, source, weight = zip(*merged)
            tables.append((torch.tensor(target), torch.tensor(source), torch.tensor(weight)))
        return Block(rows, tables, len(seeds))

    def block(self, seeds):
        return self._expand(seeds, self.fanout)

    def full_block(self, seeds):
        return self._expand(seeds, (None,) * len(self.fanout))
