import random, collections
import torch

Transition = collections.namedtuple("Transition", "s a r")


class Replay:
    def __init__(self, n):
        self.m = collections.deque(maxlen=n)

    def sample(self, k):
        return random.sample(self.m, k)


def select(q, eps, n):
    if random.random() < eps:
        return torch.tensor(random.randrange(n))
    return q.argmax()
