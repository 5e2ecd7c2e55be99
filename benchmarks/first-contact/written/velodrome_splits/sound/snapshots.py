"""Checkpoints written by a background thread, so that training need not wait for the disk."""
import io
import json
import lzma
import queue
import threading
from pathlib import Path

import numpy as np
import torch


class SnapshotWriter:
    def __init__(self, folder: Path):
        self.folder = folder
        self.jobs: queue.Queue = queue.Queue()
        self.manifest: dict[str, dict] = {}
        self.error: Exception | None = None
        self.thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self.thread.start()

    def submit(self, tag: str, model: torch.nn.Module, **facts) -> None:
        if self.error is not None:
            raise self.error
        state = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
        self.jobs.put((tag, state, facts))

    def _work(self) -> None:
        while (job := self.jobs.get()) is not None:
            try:
                self._write(*job)
            except Exception as error:
                self.error = error

    def _write(self, tag, state, facts) -> None:
        target = self.folder / f"{tag}.ckpt"
        partial = target.with_suffix(".tmp")
        sizes = {}
        with open(partial, "wb") as file:
            for name, value in state.items():
                buffer = io.BytesIO()
                np.save(buffer, value.numpy())
                packed = lzma.compress(buffer.getvalue(), preset=6)
                sizes[name] = len(packed)
                file.write(packed)
        partial.rename(target)
        self.manifest[tag] = {"sizes": sizes, **facts}
        (self.folder / "manifest.json").write_text(json.dumps(self.manifest))

    def close(self) -> None:
        self.jobs.put(None)
        self.thread.join()
        if self.error is not None:
            raise self.error


def restore(folder: Path, tag: str) -> tuple[dict, dict]:
    facts = json.loads((folder / "manifest.json").read_text())[tag]
    sizes = facts.pop("sizes")
    state = {}
    with open(folder / f"{tag}.ckpt", "rb") as file:
        for name, size in sizes.items():
            state[name] = torch.from_numpy(np.load(io.BytesIO(lzma.decompress(file.read(size)))))
    return state, facts
