import torch


class Miner:
    """For each anchor a random positive, and the nearest of a random pool of negatives."""

    def __init__(self, pool, streams):
        self.pool = pool
        self.generator = streams.torch("miner")

    def _one(self, rows):
        return rows[torch.randint(len(rows), (1,), generator=self.generator)].item()

    def triplets(self, z, species):
        distance = torch.cdist(z, z)
        out = []
        for anchor in range(len(z)):
            same = species == species[anchor]
            others = (~same).nonzero().squeeze(1)
            same[anchor] = False
            friends = same.nonzero().squeeze(1)
            if not len(friends) or not len(others):
                continue
            pool = others[torch.randperm(len(others), generator=self.generator)[:self.pool]]
            nearest = pool[distance[anchor, pool].argmin()].item()
            out.append((anchor, self._one(friends), nearest))
        return torch.tensor(out).unbind(1)
