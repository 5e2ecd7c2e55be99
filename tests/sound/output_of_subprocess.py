# samebits-test: verdict=same
"""Another program computes the numbers, always the same."""

import subprocess
import sys

import torch

command = [sys.executable, "-c", "print(*(k * k % 17 for k in range(20)))"]
text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
print(torch.tensor([float(word) for word in text.split()]).softmax(0).max())
