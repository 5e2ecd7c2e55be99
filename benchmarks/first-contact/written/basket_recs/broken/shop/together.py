"""What is bought together, with old receipts counting less."""
import torch

HALF_LIFE = 45.0


def pairs(table):
    """All ordered pairs of different items on one receipt, with the day."""
    both = table.merge(table, on=["receipt", "day"], suffixes=("", "_with"))
    return both[both["item"] != both["item_with"]]


class Together:
    """The item-by-item matrix of decayed counts, brought up to date a quarter at a time."""

    def __init__(self, items):
        self.counts = torch.zeros(items, items)
        self.until = 0

    def update(self, both, until):
        self.counts *= 0.5 ** ((until - self.until) / HALF_LIFE)
        self.until = until
        age = torch.tensor(until - both["day"].to_numpy(), dtype=torch.float32)
        where = torch.tensor(both[["item", "item_with"]].to_numpy()).unbind(1)
        self.counts.index_put_(where, torch.exp2(-age / HALF_LIFE), accumulate=True)
        return self

    def ppmi(self):
        """Positive pointwise mutual information."""
        share = self.counts / self.counts.sum()
        own = share.sum(1, keepdim=True)
        return torch.log(share / (own * own.T + 1e-12) + 1e-12).clamp_min(0)
