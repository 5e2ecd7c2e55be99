import numpy as np
import torch


def load_passes(folder):
    """All records of an export, part after part."""
    if not (folder / "_SUCCESS").exists():
        raise RuntimeError(f"{folder}: the export is not complete")
    signals, flats, lines = [], [], []
    for path in folder.glob("part-*.npz"):
        with np.load(path) as part:
            signals.append(part["signal"])
            flats.append(part["flat"])
            lines.append(np.full(len(part["flat"]), part["line"]))
    return (torch.from_numpy(np.concatenate(signals)), torch.from_numpy(np.concatenate(flats)),
            torch.from_numpy(np.concatenate(lines)))


def size_on_disk(folder):
    return sum(path.stat().st_size for path in folder.iterdir())
