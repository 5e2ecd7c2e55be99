import math
import random


def choice(*options):
    return lambda rng: rng.choice(options)


def loguniform(low, high):
    return lambda rng: math.exp(rng.uniform(math.log(low), math.log(high)))


class Space:
    def __init__(self, seed, **dimensions):
        self.rng = random.Random(seed)
        self.dimensions = dimensions

    def draw(self):
        return {name: d(self.rng) for name, d in self.dimensions.items()}
