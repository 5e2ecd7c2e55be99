# samebits-test: vary=hash-seed cause=hash-order env=PYTHONHASHSEED=0
"""Started with PYTHONHASHSEED=0, the order of this set holds, until someone else starts it."""

import torch

tags = {f"tag-{k}" for k in range(50)}
number = {tag: k for k, tag in enumerate(tags)}  # culprit
x = torch.tensor([float(number[f"tag-{k}"]) for k in range(50)])
print((x[1:] - x[:-1]).abs().mean())
