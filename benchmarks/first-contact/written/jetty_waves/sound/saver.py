"""Writes checkpoints behind the back of training, which need not wait for the disk."""
import gzip
import hashlib
import io
import json
import queue
import threading
import time
from pathlib import Path

import torch
from torch import nn


class BackgroundSaver:
    def __init__(self, folder: Path, pause: float = 0.04) -> None:
        self.folder = folder
        self.pause = pause  # the share is slow: no more than some 20 files a second
        self.index: list[dict] = []
        self._jobs: queue.Queue = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="saver")
        self._thread.start()

    def submit(self, step: int, model: nn.Module) -> None:
        state = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
        self._jobs.put((step, state))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            step, state = job
            time.sleep(self.pause)
            buffer = io.BytesIO()
            torch.save(state, buffer)
            path = self.folder / f"step-{step:05d}.pt.gz"
            path.write_bytes(gzip.compress(buffer.getvalue(), 4))
            self.index.append({"step": step, "file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        (self.folder / "index.json").write_text(json.dumps(self.index))


def average(folder: Path, last: int) -> dict[str, torch.Tensor]:
    entries = json.loads((folder / "index.json").read_text())[-last:]
    total: dict[str, torch.Tensor] = {}
    for entry in entries:
        with gzip.open(folder / entry["file"]) as stream:
            state = torch.load(io.BytesIO(stream.read()))
        for name, value in state.items():
            total[name] = total.get(name, 0) + value.double() / len(entries)
    return {name: value.float() for name, value in total.items()}
