"""Everything that training needs to go on where it stopped."""
import random
import time
from pathlib import Path

import numpy as np
import torch


class Interrupted(Exception):
    pass


class Snapshots:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, step, model, optimizer, scheduler, position):
        state = {
            "step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(), "position": position, "torch": torch.get_rng_state(),
            "python": random.getstate(), "numpy": np.random.get_state(), "saved": time.time(),
        }
        path = self.folder / f"{step:06d}.pt"
        torch.save(state, path)
        latest = self.folder / "LATEST"
        latest.with_suffix(".new").write_text(path.name)
        latest.with_suffix(".new").replace(latest)

    def restore(self, model, optimizer, scheduler):
        latest = self.folder / "LATEST"
        if not latest.exists():
            return 0, None
        state = torch.load(self.folder / latest.read_text(), weights_only=False)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        torch.set_rng_state(state["torch"])
        random.setstate(state["python"])
        np.random.set_state(state["numpy"])
        print(f"going on at step {state['step']}, saved {time.time() - state['saved']:.2f} s ago")
        return state["step"], state["position"]
