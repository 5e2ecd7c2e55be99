import torch
from torch.utils.data import Sampler


class RareFirstSampler(Sampler):
    """Draws calls so that rare species come up as often as common ones."""

    def __init__(self, species, draws, streams):
        counts = torch.bincount(species).clamp(min=1)
        self.weights = (1.0 / counts.double())[species]
        self.draws = draws
        self.generator = streams.torch("sampler")

    def __len__(self):
        return self.draws

    def __iter__(self):
        picked = torch.multinomial(self.weights, self.draws, replacement=True, generator=self.generator)
        yield from picked.tolist()
