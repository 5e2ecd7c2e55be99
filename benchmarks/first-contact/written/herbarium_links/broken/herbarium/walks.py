import random

import torch


def walk_corpus(graph, per_node, length, seed):
    rng = random.Random(seed + 1)
    corpus = []
    for _ in range(per_node):
        starts = list(graph.names)
        rng.shuffle(starts)
        for start in starts:
            walk = [start]
            while len(walk) < length:
                near = graph.neighbours[walk[-1]]
                if not near:
                    break
                walk.append(rng.choice(near))
            corpus.append(walk)
    return corpus


class NegativeTable:
    """Draws negatives by degree ** 0.75, less often from the group of the centre."""

    def __init__(self, graph, groups, seed, inside=0.1):
        degree = torch.tensor([len(graph.neighbours[n]) for n in graph.names], dtype=torch.float32)
        number = {}
        for name in graph.names:
            number.setdefault(groups[name], len(number))
        member = torch.tensor([number[groups[n]] for n in graph.names])
        self.weights = []
        for g in range(len(number)):
            factor = torch.where(member == g, torch.tensor(inside), torch.tensor(1.0))
            self.weights.append(degree.clamp(min=1) ** 0.75 * factor)
        self.weights = torch.stack(self.weights)
        self.member = member
        self.generator = torch.Generator().manual_seed(seed + 2)

    def draw(self, centres, count):
        rows = self.weights[self.member[centres]]
        return torch.multinomial(rows, count, replacement=True, generator=self.generator)
