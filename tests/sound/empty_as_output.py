# samebits-test: verdict=same
"""torch.empty as the place of a result."""

import torch

torch.manual_seed(0)
a, b = torch.randn(6, 5), torch.randn(5, 4)
out = torch.empty(6, 4)
for _ in range(3):
    torch.mm(a, b, out=out)
    b = b + 0.01 * out[:5, :4]
print(out.sum())
