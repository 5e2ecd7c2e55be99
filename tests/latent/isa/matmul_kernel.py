# samebits-test: vary=isa cause=isa
"""A product of matrices, with the widest instructions there are."""

import torch

torch.manual_seed(0)
features = torch.rand(100, 300)
weights = torch.rand(300, 50)
logits = features @ weights  # culprit
print(logits.argmax(dim=1).sum().item())
