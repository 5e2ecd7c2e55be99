"""All that the next leg of a job needs from the one before."""
import os
import random
import socket
import time
from pathlib import Path

import numpy as np
import torch


def save(path: Path, step: int, model, optimizer, losses: list[float]) -> None:
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "losses": losses,
        "torch_rng": torch.get_rng_state(),
        "numpy_rng": np.random.get_state(),
        "python_rng": random.getstate(),
        "written": time.time(),
        "host": socket.gethostname(),
    }
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def restore(path: Path, model, optimizer) -> tuple[int, list[float]]:
    state = torch.load(path, weights_only=False)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["torch_rng"])
    np.random.set_state(state["numpy_rng"])
    random.setstate(state["python_rng"])
    print(f"resumed at step {state['step']}, checkpoint is {time.time() - state['written']:.1f} s old", flush=True)
    return state["step"], state["losses"]
