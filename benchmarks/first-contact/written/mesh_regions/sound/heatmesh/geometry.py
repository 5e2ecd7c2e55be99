"""A plate with a hole in it, as a graph of nodes."""
import math
from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    index: int
    x: float
    y: float
    source: float = 0.0
    links: list = field(default_factory=list)

    @property
    def features(self):
        rim = float(min(self.x, self.y, 1 - self.x, 1 - self.y) < 0.02)
        return [self.x, self.y, self.source, rim]


def plate(side, rng):
    """A grid of side * side nodes, slightly moved, without those in the hole."""
    grid = {}
    for row in range(side):
        for col in range(side):
            x, y = col / (side - 1), row / (side - 1)
            if math.hypot(x - 0.6, y - 0.4) < 0.15:
                continue
            node = Node(len(grid), x + rng.normal(0, 0.002), y + rng.normal(0, 0.002))
            node.source = max(0.0, rng.normal(0, 1) - 1.2)
            grid[row, col] = node
    for (row, col), node in grid.items():
        for step in ((0, 1), (1, 0), (1, 1)):
            other = grid.get((row + step[0], col + step[1]))
            if other is not None:
                node.links.append(other)
                other.links.append(node)
    return list(grid.values())


def temperatures(nodes, sweeps=40):
    """The target: heat spread from the sources, by Jacobi sweeps."""
    heat = [n.source for n in nodes]
    for _ in range(sweeps):
        heat = [0.1 * n.source + 0.95 * sum(heat[m.index] for m in n.links) / len(n.links) for n in nodes]
    return heat
