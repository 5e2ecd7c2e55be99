"""A random citation graph in which papers mostly cite their own field."""
import random
from collections import defaultdict

VENUES = ["ICANN", "SIGGEO", "J. Soil", "Acta Phonetica", "BioSys", "Trans. Robotics", "MapCon"]


class Graph:
    def __init__(self):
        self.papers = []
        self.field = {}
        self.venue = {}
        self.year = {}
        self.near = defaultdict(set)
        self.links = 0

    def link(self, a, b):
        if a != b and b not in self.near[a]:
            self.near[a].add(b)
            self.near[b].add(a)
            self.links += 1


def build(n, fields, seed):
    rng = random.Random(seed)
    g = Graph()
    by_field = defaultdict(list)
    for i in range(n):
        paper = f"W{rng.randrange(10 ** 8, 10 ** 9)}"
        field = rng.randrange(fields)
        g.papers.append(paper)
        g.field[paper] = field
        g.venue[paper] = VENUES[(field + rng.choice([0, 0, 1, 3])) % len(VENUES)]
        g.year[paper] = 1990 + 30 * i // n
        cited = by_field[field]
        for _ in range(rng.choice([1, 2, 2, 3, 4])):
            pool = cited if cited and rng.random() < 0.8 else g.papers
            # early papers gather most of the citations
            g.link(paper, pool[int(len(pool) * rng.random() ** 2)])
        by_field[field].append(paper)
    return g
