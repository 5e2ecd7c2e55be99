"""A made-up network of airports and the codeshare routes between them."""
import networkx as nx
import numpy as np
import torch
from torch_geometric.transforms import RandomLinkSplit
from torch_geometric.utils import from_networkx


def build_network(n=420, seed=3):
    sizes = [n // 6] * 6
    probs = np.full((6, 6), 0.008) + np.eye(6) * 0.11
    graph = nx.stochastic_block_model(sizes, probs, seed=seed)
    rng = np.random.default_rng(seed)
    rank = nx.pagerank(graph)
    flat = nx.Graph()
    for node in sorted(graph.nodes):
        alliance = graph.nodes[node]["block"]
        hint = np.zeros(6)
        hint[alliance if rng.random() < 0.7 else rng.integers(6)] = 1.0
        size = [n * rank[node], np.log1p(graph.degree[node])]
        flat.add_node(node, x=[*hint, *size, *rng.normal(size=6)])
    flat.add_edges_from(sorted(graph.edges))
    return flat


def load_split():
    data = from_networkx(build_network())
    data.x = data.x.float()
    split = RandomLinkSplit(num_val=0.1, num_test=0.15, is_undirected=True,
                            add_negative_train_samples=False)
    return split(data)
