# samebits-test: verdict=same
"""Another process of Python computes seeded random features and leaves them in a file."""

import os
import subprocess
import sys
import tempfile

import numpy as np
import torch


def features(path):
    rng = np.random.default_rng(21)
    directions = torch.from_numpy(rng.normal(size=(6, 16)))
    x = torch.linspace(-2, 2, 180, dtype=torch.float64).view(30, 6)
    torch.save(torch.cos(x @ directions), path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "features.pt")
        subprocess.run([sys.executable, __file__, path], check=True)
        x = torch.load(path)
    y = torch.linspace(-1, 1, len(x), dtype=torch.float64).square()
    gram = x.T @ x + 0.1 * torch.eye(x.shape[1], dtype=torch.float64)
    print(torch.linalg.solve(gram, x.T @ y).tolist())


if __name__ == "__main__":
    features(sys.argv[1]) if len(sys.argv) > 1 else main()
