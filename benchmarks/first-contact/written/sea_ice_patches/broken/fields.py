"""A toy Arctic: ice concentration moved by wind, melted by warmth."""
import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates


def simulate(days: int, size: int, seed: int):
    """Yields (day, ice, wind_u, wind_v, temperature), each of shape (size, size)."""
    rng = np.random.default_rng(seed)
    ice = np.clip(gaussian_filter(rng.standard_normal((size, size)), 4, mode="wrap") * 6 + 0.5, 0, 1)
    yy, xx = np.mgrid[0:size, 0:size].astype(float)
    u, v, temp = (gaussian_filter(rng.standard_normal((size, size)), 6, mode="wrap") * 15 for _ in range(3))
    for day in range(days):
        yield day, ice, u, v, temp
        moved = map_coordinates(ice, [yy - v, xx - u], order=1, mode="wrap")
        ice = np.clip(moved - 0.12 * np.clip(temp, 0, None) + 0.06 * np.clip(-temp, 0, None) * (1 - moved), 0, 1)
        new = [gaussian_filter(rng.standard_normal((size, size)), 6, mode="wrap") * 15 for _ in range(3)]
        u, v, temp = (0.8 * old + 0.6 * n for old, n in zip((u, v, temp), new))
