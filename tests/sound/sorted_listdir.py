# samebits-test: verdict=same
"""os.listdir, sorted."""

import os
import tempfile

import torch

with tempfile.TemporaryDirectory() as root:
    for name in ("bee", "ant", "cat", "emu", "dog"):
        os.mkdir(os.path.join(root, name))
    classes = sorted(os.listdir(root))
print(torch.tensor([classes.index(name) for name in ("ant", "cat", "emu")]).cumsum(0))
