# samebits-test: verdict=different cause=control-flow|process-timing
"""While another program prepares the data, training goes on with what there is."""

import subprocess
import sys

import torch

torch.manual_seed(0)
x = torch.randn(16, 2)
w = torch.zeros(2)
for part in range(3):
    command = [sys.executable, "-c", f"print(sum(range({part + 1}000)))"]
    download = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while download.poll() is None:  # culprit
        w = w - 0.01 * (x.T @ torch.tanh(x @ w - 1))
print(w)
