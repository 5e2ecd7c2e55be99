# samebits-test: verdict=same
"""scatter_add_ of floats, which repeats on a CPU."""

import torch


def message_passing(x, source, target):
    messages = x[source].tanh()
    return torch.zeros_like(x).scatter_add_(0, target.unsqueeze(1).expand_as(messages), messages)


torch.manual_seed(0)
x = torch.randn(64, 8)
source, target = torch.randint(64, (2, 20_000))
for _ in range(2):
    x = message_passing(x, source, target) / 300
print(x.norm())
