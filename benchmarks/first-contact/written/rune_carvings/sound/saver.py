"""Writes checkpoints in the background, so that training need not wait for the disk."""
import io
import json
import queue
import threading
import zipfile
from pathlib import Path

import numpy as np
import torch


class BackgroundSaver:
    def __init__(self, folder: Path, depth: int = 4):
        self.folder = folder
        self.jobs = queue.Queue(maxsize=depth)
        self.error = None
        self.thread = threading.Thread(target=self._work, name="saver", daemon=True)
        self.thread.start()

    def save(self, step: int, model: torch.nn.Module, metrics: dict) -> None:
        if self.error is not None:
            raise RuntimeError("a checkpoint could not be written") from self.error
        tensors = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.jobs.put((step, tensors, metrics))

    def close(self) -> None:
        self.jobs.put(None)
        self.thread.join()
        if self.error is not None:
            raise self.error

    def _work(self) -> None:
        while (job := self.jobs.get()) is not None:
            try:
                self._write(*job)
            except Exception as error:
                self.error = error

    def _write(self, step, tensors, metrics) -> None:
        part = self.folder / f"step_{step:05d}.part"
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("metrics.json", json.dumps(metrics))
            for name, value in tensors.items():
                buffer = io.BytesIO()
                np.save(buffer, value.numpy())
                archive.writestr(f"{name}.npy", buffer.getvalue())
        part.rename(part.with_suffix(".ckpt"))


def load(path: Path) -> dict[str, torch.Tensor]:
    with zipfile.ZipFile(path) as archive:
        return {name[:-4]: torch.from_numpy(np.load(io.BytesIO(archive.read(name))))
                for name in archive.namelist() if name.endswith(".npy")}


def average(paths: list[Path]) -> dict[str, torch.Tensor]:
    """The mean of the weights of several checkpoints."""
    states = [load(path) for path in paths]
    return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
