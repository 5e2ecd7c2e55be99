import os
from pathlib import Path

import torch


class CheckpointStore:
    """Keeps checkpoints in a folder, and a link `latest` to the newest."""

    def __init__(self, folder, keep=2):
        self.folder, self.keep = Path(folder), keep
        self.folder.mkdir(parents=True, exist_ok=True)
        self.link = self.folder / "latest"

    def save(self, step, **parts):
        path = self.folder / f"step-{step:06d}.pt"
        torch.save({"step": step, **parts}, path)
        fresh = self.folder / f".latest-{os.getpid()}"
        fresh.symlink_to(path.name)
        fresh.replace(self.link)
        for old in sorted(self.folder.glob("step-*.pt"))[: -self.keep]:
            old.unlink()

    def load(self):
        return torch.load(self.link) if self.link.exists() else None
