"""A planar two-joint arm with damped joints."""
import numpy as np

DOF = 2
HORIZON = 12
LINKS = (0.6, 0.5)


class Arm:
    def __init__(self):
        self.q = np.array([0.4, 0.6])
        self.v = np.zeros(DOF)

    def step(self, torque):
        torque = np.clip(torque, -1.0, 1.0)
        for _ in range(4):
            coriolis = 0.3 * np.sin(self.q[1]) * self.v[::-1] * self.v
            self.v = 0.96 * self.v + 0.1 * (torque - coriolis)
            self.q = self.q + 0.1 * self.v

    def tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([LINKS[0] * np.cos(a) + LINKS[1] * np.cos(b),
                         LINKS[0] * np.sin(a) + LINKS[1] * np.sin(b)])


def observe(arm, goal):
    return np.concatenate([arm.q, arm.v, goal - arm.tip()]).astype(np.float32)


def targets(n, seed):
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(0.4, 1.0, n), rng.uniform(-0.5, 2.2, n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
