import numpy as np

EXTENT = 30.0      # metres, the side of a plot
CEILING = 36.0


def scan_plot(plot_id):
    """A synthetic plot: LiDAR returns (n, 3) and its biomass in t/ha."""
    rng = np.random.default_rng(plot_id)
    n_trees = rng.integers(15, 60)
    stems = rng.uniform(0, EXTENT, (n_trees, 2))
    heights = rng.gamma(9, 2.0, n_trees).clip(3, CEILING - 1)
    returns = [np.c_[rng.uniform(0, EXTENT, (800, 2)), rng.exponential(0.2, 800)]]
    for stem, height in zip(stems, heights):
        k = int(12 * height)
        crown = rng.standard_normal((k, 2)) * 0.09 * height
        returns.append(np.c_[stem + crown, height * rng.beta(4, 2, k)])
    biomass = 0.02 * np.sum(heights ** 2.4) / 10
    return np.concatenate(returns), biomass * rng.normal(1, 0.05)


def height_profile(points, cells, layers):
    """Share of returns per height layer over a grid of cells, (layers, cells, cells)."""
    edges = [np.linspace(0, CEILING, layers + 1)] + [np.linspace(0, EXTENT, cells + 1)] * 2
    counts, _ = np.histogramdd(points[:, [2, 0, 1]], bins=edges)
    return (counts / max(counts.sum(), 1) * cells * cells).astype(np.float32)
