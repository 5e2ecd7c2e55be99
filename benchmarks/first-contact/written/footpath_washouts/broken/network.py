"""Footpaths of a hilly park: junctions, paths between near ones, washouts where water gathers from above."""
from dataclasses import dataclass

import networkx as nx
import numpy as np
import scipy.sparse as sp


@dataclass
class Park:
    adjacency: sp.csr_matrix
    features: np.ndarray
    washed: np.ndarray
    split: np.ndarray


def build(n: int, seed: int) -> Park:
    rng = np.random.default_rng(seed)
    place = rng.random((n, 2))
    graph = nx.random_geometric_graph(n, 0.075, pos=dict(enumerate(place)), seed=seed)
    order = np.argsort(place[:, 0])
    nx.add_path(graph, order.tolist())
    adjacency = sp.csr_matrix(nx.to_scipy_sparse_array(graph, nodelist=range(n), dtype=float))
    adjacency.data[:] = 1.0
    degree = np.asarray(adjacency.sum(1)).ravel()
    slope = np.cos(5 * place[:, 0]) + 0.5 * np.sin(9 * place[:, 1])
    age = rng.gamma(3.0, 12.0, n)
    above = adjacency @ slope / degree - slope
    risk = 1.8 * above + 0.02 * (age - 36) + 0.9 * np.sin(6 * place[:, 0] * place[:, 1]) + 0.3 * rng.normal(size=n)
    features = np.column_stack([degree / degree.max(), age / 60, rng.normal(size=n)])
    split = rng.permutation(n) < int(0.7 * n)
    return Park(adjacency, features, (risk > np.median(risk)).astype(np.int64), split)
