import copy

import torch

from .hooks import Hook


class MovingAverage(Hook):
    """Moving average of the weights whose half-life is `half_life`."""

    def __init__(self, half_life, timer):
        self.half_life, self.timer = half_life, timer

    def before(self, loop):
        self.model = copy.deepcopy(loop.model).requires_grad_(False)

    def rate(self):
        return 1 - 0.5 ** (self.timer.step_seconds / self.half_life)

    @torch.no_grad()
    def after_step(self, loop):
        rate = self.rate()
        for mine, live in zip(self.model.state_dict().values(), loop.model.state_dict().values()):
            if mine.is_floating_point():
                mine.lerp_(live, rate)
            else:
                mine.copy_(live)
