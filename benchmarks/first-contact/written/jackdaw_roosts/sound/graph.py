"""Roost graph: who was logged at the same perch within the same hour."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh


@dataclass(frozen=True)
class Roost:
    adjacency: sp.csr_array
    clan: np.ndarray
    age: np.ndarray


def synth_roost(birds: int, clans: int, seed: int) -> Roost:
    rng = np.random.default_rng(seed)
    clan = rng.integers(0, clans, birds)
    same = clan[:, None] == clan[None, :]
    met = rng.random((birds, birds)) < np.where(same, 0.09, 0.012)
    met = np.triu(met, 1)
    ring = np.arange(birds)
    met[ring[:-1], ring[1:]] = True
    counts = rng.poisson(3.0, (birds, birds)) + 1
    upper = sp.csr_array(np.where(met, counts, 0).astype(np.float64))
    return Roost((upper + upper.T).tocsr(), clan, rng.gamma(2.0, 2.0, birds))


def normalised_laplacian(adjacency: sp.csr_array) -> sp.csr_array:
    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    scale = sp.diags_array(1.0 / np.sqrt(degree))
    return (sp.eye_array(adjacency.shape[0]) - scale @ adjacency @ scale).tocsr()


def positional_encoding(adjacency: sp.csr_array, width: int) -> np.ndarray:
    """The smoothest non-constant eigenvectors of the Laplacian, one column each."""
    lap = normalised_laplacian(adjacency)
    start = np.linspace(1.0, 2.0, lap.shape[0])
    values, vectors = eigsh(lap, k=width + 1, which="SM", v0=start, tol=1e-6)
    order = np.argsort(values, kind="stable")[1:]
    return np.ascontiguousarray(vectors[:, order] * np.sqrt(lap.shape[0]))
