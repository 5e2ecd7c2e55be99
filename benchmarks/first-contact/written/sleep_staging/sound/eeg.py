"""Mock EEG: every stage has its own mixture of rhythms, and neighbours are easily confused."""
import math

import torch

STAGES = ["wake", "N1", "N2", "N3", "REM"]
RATE, SECONDS = 32, 12
#          delta theta alpha sigma
RHYTHM = torch.tensor([[0.3, 0.3, 1.0, 0.2],
                       [0.5, 0.8, 0.5, 0.3],
                       [0.9, 0.6, 0.2, 0.8],
                       [1.6, 0.4, 0.1, 0.3],
                       [0.4, 0.9, 0.3, 0.2]])
CENTRE = torch.tensor([2.0, 5.5, 9.5, 13.0])


def hypnogram(n, gen):
    """A stage for each epoch; sleepers mostly stay where they are."""
    stages = [0]
    for _ in range(n - 1):
        move = torch.rand((), generator=gen).item()
        jump = int(torch.randint(len(STAGES), (), generator=gen))
        stages.append(jump if move < 0.35 else stages[-1])
    return torch.tensor(stages)


def night(n, seed):
    gen = torch.Generator().manual_seed(seed)
    stages = hypnogram(n, gen)
    t = torch.arange(RATE * SECONDS) / RATE
    power = RHYTHM[stages] * (0.5 + torch.rand(n, 4, generator=gen))
    freq = CENTRE * (1 + 0.1 * torch.randn(n, 4, generator=gen))
    phase = 2 * math.pi * torch.rand(n, 4, generator=gen)
    waves = torch.sin(2 * math.pi * freq[..., None] * t + phase[..., None])
    signal = (power[..., None] * waves).sum(1)
    return signal + 1.6 * torch.randn(n, len(t), generator=gen), stages
