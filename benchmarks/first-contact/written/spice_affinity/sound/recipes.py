"""Which spices are cooked together: a weighted graph from made-up recipes."""
from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

SPICES = 320
CUISINES = 8


def make_recipes(count, seed):
    rng = np.random.default_rng(seed)
    home = rng.integers(CUISINES, size=SPICES)
    popularity = rng.gamma(0.8, size=SPICES)
    recipes = []
    for _ in range(count):
        cuisine = rng.integers(CUISINES)
        weight = popularity * np.where(home == cuisine, 12.0, 0.4)
        size = int(rng.integers(3, 7))
        chosen = rng.choice(SPICES, size=size, replace=False, p=weight / weight.sum())
        recipes.append(sorted(int(i) for i in chosen))
    return recipes


def make_graph(recipes, seed, aroma=16):
    pairs = Counter(pair for recipe in recipes for pair in combinations(recipe, 2))
    kept = sorted(pair for pair, times in pairs.items() if times >= 2)
    graph = nx.Graph(kept)
    graph.add_nodes_from(range(SPICES))
    print(f"{len(recipes)} recipes, {graph.number_of_edges()} pairs, "
          f"{nx.number_connected_components(graph)} components")
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(SPICES, aroma, generator=generator)
    degree = torch.tensor([graph.degree[i] for i in range(SPICES)], dtype=torch.float32)
    edges = torch.tensor(kept).t().contiguous()
    return Data(x=torch.cat([noise, degree.log1p()[:, None]], dim=1),
                edge_index=to_undirected(edges, num_nodes=SPICES))
