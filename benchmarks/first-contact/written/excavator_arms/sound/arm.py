"""A planar three-joint arm with soil resistance at the bucket."""
import numpy as np


class Arm:
    inertia = np.array([4.0, 2.2, 0.9])
    friction = np.array([2.5, 1.6, 0.8])

    def __init__(self, period, rng, substeps=4):
        self.step_size = period / substeps
        self.substeps = substeps
        self.rng = rng

    def reset(self):
        self.angle = self.rng.uniform(-0.6, 0.6, 3)
        self.speed = np.zeros(3)
        self.soil = self.rng.uniform(2.0, 9.0)
        return self.angle, self.speed

    def step(self, torque):
        for _ in range(self.substeps):
            reach = np.cos(np.cumsum(self.angle))
            gravity = 6.0 * reach[::-1].cumsum()[::-1] * np.array([1.0, 0.6, 0.3])
            dig = self.soil * np.tanh(self.speed) * np.array([0.2, 0.5, 1.0])
            accel = (torque - gravity - dig - self.friction * self.speed) / self.inertia
            self.speed = self.speed + accel * self.step_size
            self.angle = self.angle + self.speed * self.step_size
        return self.angle, self.speed
