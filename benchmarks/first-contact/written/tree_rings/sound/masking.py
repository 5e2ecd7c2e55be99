import torch


class MaskPlan:
    """Which rings are hidden from the network, batch after batch.

    The blocks differ between the cores and between the batches of an epoch. Every epoch
    starts the plan over, so that the losses of two epochs are about the same hidden rings.
    """

    def __init__(self, length, blocks, width, seed):
        self.length = length
        self.blocks = blocks
        self.width = width
        self.seed = seed
        self.drawn = 0
        self.generator = torch.Generator()
        self.generator.manual_seed(seed)

    def rewind(self):
        self.drawn = 0
        self.generator.manual_seed(self.seed)

    def draw(self, cores):
        starts = torch.randint(
            0, self.length - self.width, (cores, self.blocks), generator=self.generator
        )
        years = torch.arange(self.length)
        inside = (years >= starts[..., None]) & (years < starts[..., None] + self.width)
        self.drawn += cores
        return inside.any(dim=1)
