import math
import random


class Pole:
    """A small pole-on-cart with a random start and a random push."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reset(self):
        self.s = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.t = 0
        return list(self.s)

    def step(self, action):
        x, v, a, w = self.s
        force = (10.0 if action else -10.0) + self.random.gauss(0, 0.5)
        temp = (force + 0.05 * w * w * math.sin(a)) / 1.1
        acc = (9.8 * math.sin(a) - math.cos(a) * temp) / (0.5 * (4 / 3 - 0.1 * math.cos(a) ** 2 / 1.1))
        xacc = temp - 0.05 * acc * math.cos(a) / 1.1
        self.s = [x + 0.02 * v, v + 0.02 * xacc, a + 0.02 * w, w + 0.02 * acc]
        self.t += 1
        done = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21 or self.t >= 80
        return list(self.s), 1.0, done
