import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import TensorDataset

HERE = Path(__file__).resolve().parent


def prepare(folder, cameras, parts, per_part):
    """Renders the films of all cameras side by side, one process for each camera."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    running = [
        subprocess.Popen(
            [sys.executable, str(HERE / "render.py"), str(camera), str(parts), str(per_part), str(folder)],
            stdout=subprocess.PIPE, text=True,
        )
        for camera in range(cameras)
    ]
    for process in running:
        out, _ = process.communicate(timeout=120)
        if process.returncode != 0:
            raise RuntimeError(f"render.py exited with {process.returncode}")
        print(out.strip())


def load(folder):
    files = sorted(Path(folder).glob("films_*.npz"), key=lambda p: p.name)
    images, labels = [], []
    for path in files:
        with np.load(path) as part:
            images.append(part["images"])
            labels.append(part["labels"])
    x = torch.from_numpy(np.concatenate(images))[:, None]
    y = torch.from_numpy(np.concatenate(labels))
    return TensorDataset((x - x.mean()) / x.std(), y)
