"""A niche-model food web (Williams and Martinez) with some species traits."""
import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data

CONNECTANCE = 0.05


def niche_graph(species, rng):
    niche = np.sort(rng.random(species))
    breadth = niche * rng.beta(1, 1 / (2 * CONNECTANCE) - 1, species)
    centre = rng.uniform(breadth / 2, np.maximum(niche, breadth / 2 + 1e-6))
    web = nx.DiGraph()
    web.add_nodes_from(range(species))
    seen = set()
    for predator in range(species):
        low, high = centre[predator] - breadth[predator] / 2, centre[predator] + breadth[predator] / 2
        for prey in np.flatnonzero((niche >= low) & (niche <= high)):
            if prey != predator and rng.random() < 0.8 and (predator, int(prey)) not in seen:
                seen.add((predator, int(prey)))
                web.add_edge(predator, int(prey))
    return web, niche


def traits(web, niche, rng):
    size = 4 * niche + rng.normal(0, 0.4, len(niche))
    mobility = niche**2 + rng.normal(0, 0.2, len(niche))
    guild = np.digitize(niche + rng.normal(0, 0.05, len(niche)), [0.2, 0.45, 0.7])
    noise = rng.normal(0, 1, (len(niche), 4))
    return np.column_stack([size, mobility, np.eye(4)[guild], noise]).astype(np.float32)


def make_web(species, seed):
    rng = np.random.default_rng(seed)
    web, niche = niche_graph(species, rng)
    edges = torch.tensor(sorted(web.edges), dtype=torch.long).t().contiguous()
    return Data(x=torch.from_numpy(traits(web, niche, rng)), edge_index=edges, num_nodes=species)
