import torch
import torch.nn.functional as F
from torch import nn


class SkipGram(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.centre = nn.Embedding(n, dim)
        self.context = nn.Embedding(n, dim)
        nn.init.uniform_(self.centre.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.context.weight)

    def forward(self, centre, context, negatives):
        c = self.centre(centre)
        good = (c * self.context(context)).sum(-1)
        bad = torch.bmm(self.context(negatives), c.unsqueeze(-1)).squeeze(-1)
        return -(F.logsigmoid(good) + F.logsigmoid(-bad).sum(-1)).mean()


def pairs_from_walks(walks, index, window):
    left, right = [], []
    for walk in walks:
        ids = [index[name] for name in walk]
        for i, centre in enumerate(ids):
            for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                if i != j:
                    left.append(centre)
                    right.append(ids[j])
    return torch.tensor(left), torch.tensor(right)
