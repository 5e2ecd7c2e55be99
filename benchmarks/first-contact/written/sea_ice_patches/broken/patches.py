import uuid
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

from fields import simulate


def cut(root: Path, days: int, size: int, patch: int, seed: int) -> int:
    """Writes today's fields and tomorrow's ice, patch by patch. Returns the number of patches."""
    count = 0
    before = None
    for day, *now in simulate(days, size, seed):
        if before is not None:
            stack = np.stack([*before, now[0]]).astype(np.float32)
            for row in range(0, size, patch):
                for col in range(0, size, patch):
                    name = uuid.uuid4().hex
                    np.save(root / f"{name}.npy", stack[:, row : row + patch, col : col + patch])
                    count += 1
        before = now
    return count


class PatchFolder(Dataset):
    def __init__(self, root: Path):
        self.files = sorted(root.glob("*.npy"))

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, i: int):
        stack = torch.from_numpy(np.load(self.files[i]))
        return stack[:4], stack[4:]
