# samebits-test: vary=listing cause=file-order
"""Classes are numbered in the order in which os.listdir names their folders."""

import os
import tempfile

import torch

with tempfile.TemporaryDirectory() as root:
    for name in ("ant", "bee", "cat", "dog", "emu", "fox", "gnu", "hen"):
        os.mkdir(os.path.join(root, name))
    classes = os.listdir(root)  # culprit
labels = torch.tensor([classes.index(name) for name in ("ant", "cat", "hen", "bee")])
print(torch.nn.functional.one_hot(labels, len(classes)).float().cov())
