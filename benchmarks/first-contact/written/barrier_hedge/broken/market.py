"""Heston-like paths from quasi-random numbers, through a Brownian bridge ordering of the time steps."""
import numpy as np
import torch
from scipy.stats import norm, qmc

STEPS = 16


def bridge_order(n):
    """End point first, then midpoints: the first Sobol dimensions carry most of the variance."""
    order, spans = [n - 1], [(-1, n - 1)]
    while spans:
        lo, hi = spans.pop(0)
        mid = (lo + hi) // 2
        if mid in (lo, hi):
            continue
        order.append(mid)
        spans += [(lo, mid), (mid, hi)]
    return order


class PathSource:
    def __init__(self, seed, s0=100.0, v0=0.04, kappa=1.5, theta=0.05, xi=0.4, rho=-0.6, horizon=0.5):
        self.engine = qmc.Sobol(d=2 * STEPS, scramble=True)
        self.order = bridge_order(STEPS)
        self.s0, self.v0, self.kappa, self.theta = s0, v0, kappa, theta
        self.xi, self.rho, self.dt = xi, rho, horizon / STEPS

    def normals(self, count):
        u = self.engine.random(count)
        return norm.ppf(np.clip(u, 1e-9, 1 - 1e-9)).reshape(count, 2, STEPS)

    def brownian(self, z):
        """Standard Brownian increments from normals, by bridge."""
        n, filled = z.shape[0], {-1: np.zeros(z.shape[0])}
        for k, t in enumerate(self.order):
            left = max(i for i in filled if i < t)
            rights = [i for i in filled if i > t]
            if not rights:
                filled[t] = filled[left] + np.sqrt(t - left) * z[:, k]
                continue
            right = min(rights)
            w = (t - left) / (right - left)
            sd = np.sqrt((t - left) * (right - t) / (right - left))
            filled[t] = (1 - w) * filled[left] + w * filled[right] + sd * z[:, k]
        walk = np.stack([filled[i] for i in range(-1, STEPS)], axis=1)
        return np.diff(walk, axis=1).reshape(n, STEPS)

    def draw(self, count):
        z = self.normals(count)
        dw, dz = self.brownian(z[:, 0]), self.brownian(z[:, 1])
        dz = self.rho * dw + np.sqrt(1 - self.rho**2) * dz
        s, v = np.full(count, self.s0), np.full(count, self.v0)
        prices, variances = [s], [v]
        for i in range(STEPS):
            vp = np.maximum(v, 0)
            s = s * np.exp(-0.5 * vp * self.dt + np.sqrt(vp * self.dt) * dw[:, i])
            v = v + self.kappa * (self.theta - vp) * self.dt + self.xi * np.sqrt(vp * self.dt) * dz[:, i]
            prices.append(s)
            variances.append(np.maximum(v, 0))
        return (
            torch.from_numpy(np.stack(prices, 1)).float(),
            torch.from_numpy(np.stack(variances, 1)).float(),
        )
