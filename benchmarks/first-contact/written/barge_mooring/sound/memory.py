from collections import deque

import numpy as np
import torch


class Memory:
    """Transitions, of which batches are drawn with replacement."""

    def __init__(self, capacity, seed):
        self.items = deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.items)

    def add(self, *transition):
        self.items.append(transition)

    def draw(self, count):
        chosen = [self.items[i] for i in self.rng.integers(len(self.items), size=count)]
        states, actions, rewards, nexts, ends = zip(*chosen)
        return (torch.from_numpy(np.stack(states)), torch.tensor(actions),
                torch.tensor(rewards, dtype=torch.float32),
                torch.from_numpy(np.stack(nexts)), torch.tensor(ends, dtype=torch.float32))
