import numpy as np


class Terrain:
    """Smooth hills; a rover on a slope slips downhill and is slow uphill."""

    def __init__(self, seed, n_hills=9, extent=10.0):
        rng = np.random.default_rng(seed)
        self.centres = rng.uniform(0, extent, (n_hills, 2))
        self.heights = rng.uniform(-1.5, 2.0, n_hills)
        self.widths = rng.uniform(0.8, 2.0, n_hills)
        self.extent = extent

    def gradient(self, pos):
        diff = pos[..., None, :] - self.centres
        w2 = self.widths ** 2
        bump = self.heights * np.exp(-0.5 * (diff ** 2).sum(-1) / w2)
        return (-(bump / w2)[..., None] * diff).sum(-2)

    def step(self, state, action, dt=0.25):
        """state (..., 3): x, y, heading; action (..., 2): speed in [0, 1], turn in [-1, 1]"""
        pos, heading = state[..., :2], state[..., 2]
        g = self.gradient(pos)
        direction = np.stack([np.cos(heading), np.sin(heading)], -1)
        climb = (g * direction).sum(-1)
        speed = action[..., 0] * np.clip(1.0 - 0.6 * climb, 0.1, 1.6)
        pos = pos + dt * (speed[..., None] * direction * 1.5 - 0.35 * g)
        heading = heading + dt * 1.8 * action[..., 1]
        return np.concatenate([np.clip(pos, 0, self.extent), heading[..., None]], -1)
