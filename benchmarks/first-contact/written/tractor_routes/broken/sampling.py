"""A curriculum sampler: fields that the model does badly are drawn more often, as the pace grows."""

import numpy as np
from torch.utils.data import Sampler


class CurriculumSampler(Sampler):
    def __init__(self, count, per_epoch, seed=None):
        self.count = count
        self.per_epoch = per_epoch
        self.rng = np.random.default_rng(seed)
        self.difficulty = np.ones(count)
        self.pace = 0.0

    def __len__(self):
        return self.per_epoch

    def __iter__(self):
        chance = self.difficulty ** self.pace
        chance /= chance.sum()
        yield from self.rng.choice(self.count, self.per_epoch, replace=False, p=chance).tolist()

    def update(self, rows, losses):
        self.difficulty[rows] = 0.7 * self.difficulty[rows] + 0.3 * losses

    def advance(self):
        self.pace = min(1.0, self.pace + 0.15)

    def state_dict(self):
        return {
            "difficulty": self.difficulty.copy(),
            "pace": self.pace,
            "generator": self.rng.bit_generator.state,
        }

    def load_state_dict(self, state):
        self.difficulty = state["difficulty"].copy()
        self.pace = state["pace"]
        if state.get("rng"):
            self.rng.bit_generator.state = state["rng"]
