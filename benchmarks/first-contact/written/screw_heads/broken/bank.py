from pathlib import Path

import torch


class HardBank:
    """Images that the net got wrong, one file an epoch, for replay (too many for memory on the line PC)."""

    def __init__(self, root):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def files(self):
        return sorted(self.root.glob("hard_*.pt"))

    def add(self, images, labels):
        if len(images):
            torch.save((images, labels), self.root / f"hard_{len(self.files()):04d}.pt")

    def draw(self, n):
        files = self.files()
        if not files:
            return None
        parts = [torch.load(f) for f in files]
        images = torch.cat([p[0] for p in parts])
        labels = torch.cat([p[1] for p in parts])
        pick = torch.randint(len(images), (n,))
        return images[pick], labels[pick]
