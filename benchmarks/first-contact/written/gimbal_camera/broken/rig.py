"""A camera on a two-axis gimbal that follows a walking person, simulated."""

from dataclasses import dataclass, field

import numpy as np

from controller import Pid


@dataclass
class Axis:
    inertia: float
    friction: float
    angle: float = 0.0
    speed: float = 0.0

    def advance(self, torque, dt):
        self.speed += dt * (torque - self.friction * self.speed) / self.inertia
        self.angle += dt * self.speed


@dataclass
class Flight:
    """What the recorder keeps: for every tick, what was seen and what was commanded."""

    seen: list = field(default_factory=list)
    commanded: list = field(default_factory=list)

    def arrays(self):
        return np.asarray(self.seen, np.float32), np.asarray(self.commanded, np.float32)


def walker(rng, ticks, dt):
    t = np.arange(ticks) * dt
    phase = rng.uniform(0, 2 * np.pi, 2)
    rate = rng.uniform(0.3, 1.1, 2)
    sway = 0.05 * np.cumsum(rng.normal(0, np.sqrt(dt), (ticks, 2)), axis=0)
    return 0.6 * np.sin(rate * t[:, None] + phase) + sway


def fly(rng, ticks, dt):
    axes = [Axis(0.08, 0.35), Axis(0.05, 0.25)]
    pids = [Pid(6.0, 1.5, 0.4), Pid(5.0, 1.2, 0.3)]
    flight = Flight()
    for target in walker(rng, ticks, dt):
        noise = rng.normal(0, 0.002, 2)
        errors = [float(t - a.angle + n) for t, a, n in zip(target, axes, noise)]
        flight.seen.append(errors + [a.speed for a in axes] + [a.angle for a in axes])
        commands = [pid(error) for pid, error in zip(pids, errors)]
        flight.commanded.append(commands)
        for axis, command in zip(axes, commands):
            axis.advance(command, dt)
    return flight.arrays()
