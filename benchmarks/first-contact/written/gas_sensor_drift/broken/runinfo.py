"""What one wants to know about a run a year later."""
import datetime
import os
import platform
import socket
import tempfile
from dataclasses import asdict

import torch


def _machine():
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "scratch": tempfile.gettempdir(),
    }


def _randomness():
    return {
        "torch_seed": torch.seed(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }


def describe(settings, net):
    return {
        "started": datetime.datetime.now().isoformat(timespec="seconds"),
        "settings": asdict(settings),
        "parameters": sum(p.numel() for p in net.parameters()),
        "machine": _machine(),
        "randomness": _randomness(),
    }
