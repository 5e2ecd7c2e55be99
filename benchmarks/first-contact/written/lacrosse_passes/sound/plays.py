"""Simulated possessions and the dataset around them."""
import numpy as np
import torch

POSITIONS = ["x", "left_wing", "right_wing", "crease", "top", "slot"]
PAD = len(POSITIONS)


def _passing_matrix(rng):
    affinity = rng.gamma(1.2, 1.0, (PAD, PAD))
    np.fill_diagonal(affinity, 0.0)
    return affinity / affinity.sum(1, keepdims=True)


def simulate_season(games, seed=2019):
    rng = np.random.default_rng(seed)
    settled, transition = _passing_matrix(rng), _passing_matrix(rng)
    season = []
    for _ in range(games):
        for _ in range(int(rng.integers(70, 95))):
            length = int(rng.integers(4, 15))
            holder = int(rng.integers(PAD))
            clock = 0.0
            chain, clocks = [holder], [clock]
            for _ in range(length):
                table = transition if clock < 8.0 else settled
                holder = int(rng.choice(PAD, p=table[holder]))
                clock += float(rng.exponential(2.5))
                chain.append(holder)
                clocks.append(clock)
            season.append((chain, clocks))
    return season


class PossessionSet(torch.utils.data.Dataset):
    def __init__(self, possessions):
        self.possessions = possessions

    def __len__(self):
        return len(self.possessions)

    def __getitem__(self, i):
        chain, clocks = self.possessions[i]
        return torch.tensor(chain), torch.tensor(clocks) / 30.0

    def passes(self):
        return sum(len(chain) - 1 for chain, _ in self.possessions)


def collate(batch):
    longest = max(len(chain) for chain, _ in batch)
    chains = torch.full((len(batch), longest), PAD)
    clocks = torch.zeros(len(batch), longest)
    for row, (chain, clock) in enumerate(batch):
        chains[row, : len(chain)] = chain
        clocks[row, : len(clock)] = clock
    return chains[:, :-1], clocks[:, :-1], chains[:, 1:]
