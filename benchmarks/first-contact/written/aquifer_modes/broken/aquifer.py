"""A confined aquifer on a grid: conductances between cells, leakage to the bed, wells that pump."""
from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import gaussian_filter
from scipy.sparse.linalg import factorized


class Aquifer:
    def __init__(self, side: int, seed: int) -> None:
        self.side, self.rng = side, np.random.default_rng(seed)
        field = gaussian_filter(self.rng.standard_normal((side, side)), 2.0)
        self.conductivity = np.exp(1.2 * field / field.std())
        self.operator = self._assemble()
        self.solve = factorized(self.operator.tocsc())

    def _assemble(self) -> sp.csr_array:
        n, k = self.side, self.conductivity
        cell = np.arange(n * n).reshape(n, n)
        rows, cols, values = [], [], []
        for a, b, ka, kb in ((cell[:, :-1], cell[:, 1:], k[:, :-1], k[:, 1:]), (cell[:-1], cell[1:], k[:-1], k[1:])):
            rows.append(a.ravel())
            cols.append(b.ravel())
            values.append((2 * ka * kb / (ka + kb)).ravel())
        links = sp.coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=(n * n,) * 2)
        links = (links + links.T).tocsr()
        return (sp.diags_array(links.sum(axis=1) + 0.02) - links).tocsr()

    def pumping(self, wells: int) -> tuple[np.ndarray, np.ndarray]:
        """Rates of some wells, as (x, y, rate) and as a source in each cell."""
        at = self.rng.integers(2, self.side - 2, size=(wells, 2))
        rate = self.rng.uniform(0.2, 1.0, size=wells)
        source = np.zeros(self.side**2)
        np.add.at(source, at[:, 0] * self.side + at[:, 1], rate)
        return np.column_stack([at / self.side, rate]).ravel(), source
