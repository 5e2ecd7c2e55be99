# samebits-test: verdict=same
"""A network is trained; then threads draw its dropout, each task from a generator of its own."""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = nn.Linear(6, 16), nn.Linear(16, 1)

    def forward(self, x, generator=None):
        hidden = self.inner(x).relu()
        keep = torch.rand(hidden.shape, generator=generator) >= 0.2
        return self.head(hidden * keep / 0.8)


@torch.no_grad()
def spread(net, chunk, generator):
    return torch.stack([net(chunk, generator) for _ in range(20)]).std(0)


torch.manual_seed(0)
torch.set_num_threads(1)
net, x = Net(), torch.randn(96, 6)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(8):
    loss = (net(x) - x.prod(dim=1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
chunks = x.split(8)
generators = [torch.Generator().manual_seed(100 + task) for task in range(len(chunks))]
with ThreadPoolExecutor(3) as pool:
    spreads = list(pool.map(spread, [net] * len(chunks), chunks, generators))
print(f"loss {loss.item():.8f}, spread {torch.cat(spreads).mean().item():.8f}")
