"""The pipes of a district, as the survey crews report them."""
from dataclasses import dataclass
from typing import Optional

import numpy as np
from scipy.sparse import coo_matrix, eye
from scipy.sparse.linalg import spsolve


@dataclass(frozen=True)
class Pipe:
    start: int
    end: int
    valve: Optional[int] = None       # number of the valve on it, where there is one


def district(side: int, rng: np.random.Generator) -> list[Pipe]:
    pipes, valve = [], 0
    for node in range(side * side):
        row, col = divmod(node, side)
        for other, inside in ((node + 1, col + 1 < side), (node + side, row + 1 < side)):
            if not inside or rng.random() < 0.1:
                continue
            fitted = rng.random() < 0.3
            pipes.append(Pipe(node, other, valve if fitted else None))
            valve += fitted
    return pipes


def crew_sheets(pipes: list[Pipe], crews: int, rng: np.random.Generator) -> list[list[Pipe]]:
    """Every pipe is on the sheet of at least one crew; the sheets overlap."""
    sheets = [[] for _ in range(crews)]
    for pipe in pipes:
        for crew in rng.choice(crews, size=int(rng.integers(1, 3)), replace=False):
            sheets[crew].append(pipe)
    return sheets


def merge_sheets(sheets: list[list[Pipe]]) -> list[Pipe]:
    """All pipes that any crew has seen, each of them once."""
    return list(dict.fromkeys(pipe for sheet in sheets for pipe in sheet))


def heads(pipes: list[Pipe], conductance: np.ndarray, demand: np.ndarray) -> np.ndarray:
    n = len(demand)
    a = np.array([p.start for p in pipes])
    b = np.array([p.end for p in pipes])
    rows, cols = np.concatenate([a, b, a, b]), np.concatenate([b, a, a, b])
    data = np.concatenate([-conductance, -conductance, conductance, conductance])
    laplacian = coo_matrix((data, (rows, cols)), shape=(n, n)).tocsc()
    return spsolve(laplacian + 1e-2 * eye(n, format="csc"), -demand)
