"""Graph attention with segment softmax, sparse label propagation and a hook that clips gradients."""
import time

import torch
from torch import nn
import torch.nn.functional as F


def ring_of_communities(communities=8, size=100, per_node=6):
    g = torch.Generator().manual_seed(5)
    n = communities * size
    label = torch.arange(n) // size
    src = torch.arange(n).repeat_interleave(per_node)
    inside = label[src] * size + torch.randint(size, src.shape, generator=g)
    anywhere = torch.randint(n, src.shape, generator=g)
    dst = torch.where(torch.rand(src.shape, generator=g) < 0.8, inside, anywhere)
    edges = torch.unique(torch.stack([torch.cat([src, dst]), torch.cat([dst, src])]), dim=1)
    x = torch.randn(n, 16, generator=g)
    x[:, :8] += F.one_hot(label, 8) * 0.7
    return x, label, edges[0], edges[1]


class SegmentAttention(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.value = nn.Linear(inputs, outputs)
        self.left, self.right = nn.Linear(outputs, 1), nn.Linear(outputs, 1, bias=False)

    def forward(self, h, src, dst):
        v = self.value(h)
        logit = F.leaky_relu(self.left(v).index_select(0, src) + self.right(v).index_select(0, dst), 0.2)
        top = torch.full((len(h), 1), -1e9).scatter_reduce(0, dst[:, None], logit.detach(), "amax")
        weight = torch.exp(logit - top.index_select(0, dst))
        norm = torch.zeros(len(h), 1).index_add(0, dst, weight)
        mixed = torch.zeros_like(v).index_add(0, dst, weight * v.index_select(0, src))
        return mixed / norm.clamp_min(1e-9)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = SegmentAttention(16, 32), SegmentAttention(32, 8)

    def forward(self, x, src, dst):
        return self.b(F.dropout(F.elu(self.a(x, src, dst)), 0.2, self.training), src, dst)


def propagate(logits, src, dst, rounds=5):
    n = len(logits)
    adjacency = torch.sparse_coo_tensor(torch.stack([dst, src]), torch.ones(len(src)), (n, n)).coalesce().to_sparse_csr()
    degree = adjacency @ torch.ones(n, 1)
    soft = logits.softmax(1)
    for _ in range(rounds):
        soft = 0.5 * soft + 0.5 * (adjacency @ soft) / degree.clamp_min(1)
    return soft


def main():
    torch.manual_seed(55)
    x, y, src, dst = ring_of_communities()
    net = Net()
    norms = []
    for p in net.parameters():
        p.register_hook(lambda grad: (norms.append(grad.norm().item()), grad.clamp(-1, 1))[1])
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    train = torch.randperm(len(x))[:160]
    tic = time.perf_counter()
    for epoch in range(25):
        net.train()
        opt.zero_grad()
        loss = F.cross_entropy(net(x, src, dst).index_select(0, train), y[train])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        soft = propagate(net(x, src, dst), src, dst)
    best = soft.topk(2, dim=1)
    print(f"{len(src)} edges, {time.perf_counter() - tic:.2f} s, largest gradient {max(norms):.3f}")
    torch.save((net.state_dict(), best.indices), "attention.pt")
    print("final loss", loss.item(), "accuracy", (best.indices[:, 0] == y).float().mean().item(),
          "margin", (best.values[:, 0] - best.values[:, 1]).double().sum().item())


if __name__ == "__main__":
    main()
