"""Start-up and bookkeeping shared by the training and the evaluation script."""
import numpy as np
import torch


def prepare(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False


class RunningMean:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, value, n):
        self.total += value * n
        self.count += n

    @property
    def value(self):
        return self.total / max(self.count, 1)
