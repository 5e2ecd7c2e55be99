"""Snapshots along a cyclic learning-rate schedule, and their average."""
import os
import pathlib
import uuid

import torch


class SnapshotFolder:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def save(self, epoch, model):
        # several jobs may share the folder: the tag keeps their files apart
        tag = uuid.uuid4().hex[:8]
        path = self.root / f"snap-{tag}-{epoch:03d}.pt"
        part = path.with_suffix(".part")
        torch.save({"epoch": epoch, "weights": model.state_dict()}, part)
        os.replace(part, path)
        return path

    def paths(self):
        return sorted(self.root.glob("snap-*.pt"))

    def average(self, model, last):
        """Load the mean of the `last` newest snapshots into the model."""
        chosen = self.paths()[-last:]
        mean = {k: torch.zeros_like(v) for k, v in model.state_dict().items()}
        for path in chosen:
            weights = torch.load(path, weights_only=True)["weights"]
            for key in mean:
                mean[key] += weights[key] / len(chosen)
        model.load_state_dict(mean)
        return len(chosen)
