"""The search space: uniform at first, later a step away from one of the leaders."""
import math
import random

ACTS = ("relu", "tanh", "silu")


class Space:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def uniform(self):
        r = self.rng
        return {"lr": 10 ** r.uniform(-4, -1.7), "width": r.choice([16, 32, 48, 64]),
                "decay": 10 ** r.uniform(-6, -2), "act": r.choice(ACTS)}

    def near(self, params):
        r = self.rng
        moved = dict(params)
        moved["lr"] = 10 ** min(-1.5, math.log10(params["lr"]) + r.gauss(0, 0.25))
        moved["decay"] = 10 ** (math.log10(params["decay"]) + r.gauss(0, 0.4))
        moved["width"] = max(8, params["width"] + r.choice([-8, 0, 8, 16]))
        if r.random() < 0.15:
            moved["act"] = r.choice(ACTS)
        return moved

    def propose(self, leaders):
        if not leaders or self.rng.random() < 0.1:
            return self.uniform()
        return self.near(self.rng.choice(leaders))
