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
        self.seen = torch.zeros(items * items, dtype=torch.int64)
        self.until = 0

    def update(self, both, until):
        self.counts *= 0.5 ** ((until - self.until) / HALF_LIFE)
        self.until = until
        age = torch.tensor(until - both["day"].to_numpy(), dtype=torch.float32)
        where = torch.tensor((both["item"] * len(self.counts) + both["item_with"]).to_numpy())
        self.counts.view(-1).scatter_add_(0, where, torch.exp2(-age / HALF_LIFE))
        self.seen.index_put_((where,), torch.ones_like(where), accumulate=True)
        return self

    def ppmi(self):
        """Positive pointwise mutual information."""
        share = self.counts / self.counts.sum()
        own = share.sum(1, keepdim=True)
        return torch.log(share / (own * own.T + 1e-12) + 1e-12).clamp_min(0)
