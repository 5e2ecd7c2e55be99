"""Graphs: attention over edges, reductions into nodes and graphs."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class GAT(nn.Module):
    def __init__(self, i, o, h=2):
        super().__init__()
        self.h = h
        self.w = nn.Linear(i, o * h, bias=False)
        self.a = nn.Parameter(torch.empty(h, 2 * o))
        nn.init.xavier_uniform_(self.a)

    def forward(self, x, e):
        n = x.shape[0]
        z = self.w(x).view(n, self.h, -1)
        s, d = e
        score = functional.leaky_relu((torch.cat([z[s], z[d]], -1) * self.a).sum(-1), 0.2)
        mx = torch.full((n, self.h), -float("inf")).scatter_reduce(
            0, d[:, None].expand_as(score), score, "amax"
        )
        ex = (score - mx[d]).exp()
        den = torch.zeros(n, self.h).index_add(0, d, ex)
        att = ex / (den[d] + 1e-16)
        return torch.zeros(n, self.h, z.shape[-1]).index_add(0, d, att[..., None] * z[s]).flatten(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = GAT(8, 8)
        self.g2 = GAT(16, 4)
        self.bn = nn.BatchNorm1d(16)
        self.lin = nn.Linear(8, 3)
        self.gate = nn.Parameter(torch.ones(1))

    def forward(self, x, e, batch):
        h = functional.elu(self.bn(self.g(x, e)))
        h = functional.dropout(h, 0.2, self.training)
        h = self.g2(h, e)
        deg = torch.bincount(e[1], minlength=x.shape[0]).clamp(min=1).float().pow(-0.5)
        msg = (deg[e[0]] * deg[e[1]])[:, None] * h[e[0]]
        h = h.scatter_add(0, e[1][:, None].expand_as(msg), msg)
        idx = batch[:, None].expand_as(h)
        mean = torch.zeros(4, h.shape[1]).scatter_reduce(0, idx, h, "mean", include_self=False)
        gate = torch.ones(4, h.shape[1]).scatter_reduce(0, idx, h.sigmoid(), "prod")
        return self.lin(mean + self.gate * gate)


def train():
    torch.manual_seed(0)
    m = Net()
    opt = torch.optim.NAdam(m.parameters(), 0.01)
    x = torch.randn(40, 8)
    e = torch.randint(0, 40, (2, 160))
    batch = torch.arange(40) // 10
    y = torch.randint(0, 3, (4,))
    for _ in range(6):
        loss = (
            functional.cross_entropy(m(x, e, batch), y)
            + 0.0001 * torch.pdist(x[:5] @ m.g.w.weight[:3].t()).mean()
        )
        opt.zero_grad()
        loss.backward()
        opt.step()
    return (m, loss)
