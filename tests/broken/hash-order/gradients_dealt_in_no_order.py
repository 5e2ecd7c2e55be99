# samebits-test: verdict=different cause=hash-order
"""Members of an ensemble that are alike at first get their shares in the order of a set."""

import torch

torch.manual_seed(0)
names = ["north", "east", "south", "west"]
begin = torch.randn(4)
members = {name: torch.nn.Parameter(begin.clone()) for name in names}
optimizers = {name: torch.optim.SGD([members[name]], lr=0.25) for name in names}
data = torch.randn(32, 4)


def gradient(weights, rows):
    (found,) = torch.autograd.grad((data[rows] @ weights).square().mean(), [weights])
    return found


for name in names:
    members[name].grad = gradient(members[name], slice(None))
for name in names:
    optimizers[name].step()
shares = list(
    {"spring", "summer", "autumn", "winter", "flood", "drought", "frost", "storm"}
)  # culprit
for name, share in zip(names, shares, strict=False):
    first = len(share) * 2 + ord(share[1]) % 7
    members[name].grad = gradient(members[name], slice(first, first + 5))
for name in names:
    optimizers[name].step()
print("kept", members["north"].numel(), "weights")
