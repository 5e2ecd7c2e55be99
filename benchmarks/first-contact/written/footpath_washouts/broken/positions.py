"""Where a junction lies among the paths: the slowest modes of its Laplacian."""
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh


def normalized_laplacian(adjacency: sp.csr_matrix) -> sp.csr_matrix:
    scale = sp.diags(1 / np.sqrt(np.asarray(adjacency.sum(1)).ravel()))
    return sp.identity(adjacency.shape[0], format="csr") - scale @ adjacency @ scale


def slow_modes(adjacency: sp.csr_matrix, count: int) -> np.ndarray:
    laplacian = normalized_laplacian(adjacency).tocsc()
    values, modes = eigsh(laplacian, k=count + 1, sigma=-0.01)
    order = np.argsort(values)[1:]
    return modes[:, order] * np.sqrt(adjacency.shape[0])
