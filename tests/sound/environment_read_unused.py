# samebits-test: verdict=same
"""User, host and process number are printed and put into the notes of a run."""

import os
import platform
import socket

import torch

notes = {
    "user": os.environ.get("USER", "nobody"),
    "host": socket.gethostname(),
    "pid": os.getpid(),
    "python": platform.python_version(),
    "cores": os.cpu_count(),
}
print(notes)
print(torch.linspace(0, 1, 6).acos().sum())
