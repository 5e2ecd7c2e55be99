import random
from dataclasses import dataclass, field

GENERA = ["Carex", "Salix", "Rumex", "Viola", "Festuca", "Hieracium", "Rosa", "Rubus"]


@dataclass
class Graph:
    names: list
    neighbours: dict
    index: dict = field(init=False)
    linked: dict = field(init=False)
    probes: list = field(default_factory=list)

    def __post_init__(self):
        self.index = {name: i for i, name in enumerate(self.names)}
        self.linked = {name: set(near) for name, near in self.neighbours.items()}

    @property
    def n_links(self):
        return sum(len(near) for near in self.neighbours.values()) // 2


def build_graph(n, places, seed):
    rng = random.Random(seed)
    names = [f"{rng.choice(GENERA)}-{i:04d}" for i in range(n)]
    home = {name: rng.randrange(places) for name in names}
    neighbours = {name: [] for name in names}
    seen = set()
    for a in names:
        for _ in range(4):
            close = rng.random() < 0.85
            pool = [b for b in names if (home[b] == home[a]) == close and b != a]
            b = rng.choice(pool)
            if (a, b) in seen or (b, a) in seen:
                continue
            seen.add((a, b))
            neighbours[a].append(b)
            neighbours[b].append(a)
    graph = Graph(names, neighbours)
    graph.probes = [(a, rng.choice(neighbours[a])) for a in rng.sample(names, 60)]
    graph.probes += [tuple(rng.sample(names, 2)) for _ in range(60)]
    return graph
