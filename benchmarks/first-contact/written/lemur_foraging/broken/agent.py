"""The Q network, its memory of what happened, and the evaluator that plays with copies of it."""
import copy
import queue
import random
import threading
import time
from collections import deque

import numpy as np
import torch
from torch import nn

from forest import Forest


def build():
    return nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))


@torch.no_grad()
def best_action(network, seen):
    return int(network(torch.from_numpy(seen)).argmax())


class Memory:
    def __init__(self, size):
        self.steps = deque(maxlen=size)

    def __len__(self):
        return len(self.steps)

    def add(self, *step):
        self.steps.append(step)

    def sample(self, count):
        seen, action, reward, after, over = zip(*random.sample(self.steps, count))
        as_floats = [torch.from_numpy(np.stack(part)) for part in (seen, after)]
        return (as_floats[0], torch.tensor(action), torch.tensor(reward), as_floats[1],
                torch.tensor(over, dtype=torch.float32))


class Evaluator(threading.Thread):
    """Plays some episodes with every network handed in, while training goes on."""

    def __init__(self, seed, episodes=6, epsilon=0.05):
        super().__init__(name="evaluator", daemon=True)
        self.inbox = queue.Queue()
        self.forest = Forest()
        self.forest.reset(seed=seed)
        self.episodes, self.epsilon = episodes, epsilon
        self.scores, self.busy = [], 0.0

    def hand_in(self, step, network):
        self.inbox.put((step, copy.deepcopy(network)))

    def play(self, network):
        total = 0.0
        for _ in range(self.episodes):
            seen, _ = self.forest.reset()
            over = cut = False
            while not (over or cut):
                if random.random() < self.epsilon:
                    action = random.randrange(4)
                else:
                    action = best_action(network, seen)
                seen, reward, over, cut, _ = self.forest.step(action)
                total += reward
        return total / self.episodes

    def run(self):
        while (job := self.inbox.get()) is not None:
            began = time.perf_counter()
            step, network = job
            self.scores.append((step, self.play(network)))
            self.busy += time.perf_counter() - began

    def close(self):
        self.inbox.put(None)
        self.join()
        return self.scores
