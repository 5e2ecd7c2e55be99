"""Positions of atoms within their chain, from the spectrum of the graph Laplacian."""

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import eigsh
from torch_geometric.utils import degree


class SpectralPositions:
    """Adds ``pos_enc``, the first k non-trivial eigenvectors, and ``gaps``, their eigenvalues, to a graph."""

    def __init__(self, k=6, seed=0):
        self.k = k
        self.seed = seed
        self.flips = np.random.default_rng(seed)

    def _adjacency(self, data):
        n = data.num_nodes
        row, col = data.edge_index.numpy()
        matrix = sp.coo_matrix((np.ones(len(row)), (row, col)), shape=(n, n)).tocsr()
        matrix.data[:] = 1.0  # double bonds drawn twice count once
        return matrix

    def __call__(self, data):
        lap = laplacian(self._adjacency(data), normed=True).tocsc()
        values, vectors = eigsh(
            lap,
            k=self.k + 1,
            sigma=-0.05,
            which="LM",
        )
        order = np.argsort(values)[1 : self.k + 1]
        scale = np.sqrt(data.num_nodes)
        data.pos_enc = torch.from_numpy(vectors[:, order] * scale).float()
        data.gaps = torch.from_numpy(values[order]).float().unsqueeze(0)
        return data

    def flip(self, batch):
        """Signs are arbitrary: gives each graph of a batch, and each of its vectors, a random one."""
        signs = self.flips.integers(0, 2, size=(batch.num_graphs, self.k)) * 2.0 - 1.0
        signs = torch.from_numpy(signs).float()
        batch.pos_enc = batch.pos_enc * signs[batch.batch]
        return batch


def degree_histogram(graphs, most=5):
    counts = torch.zeros(most + 1, dtype=torch.long)
    for data in graphs:
        d = degree(data.edge_index[0], data.num_nodes).long().clamp(max=most)
        counts += torch.bincount(d, minlength=most + 1)
    return counts
