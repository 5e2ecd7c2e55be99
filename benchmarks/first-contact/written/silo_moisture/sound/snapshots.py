"""Snapshots during training, their average, and a progress line per epoch."""
import re
import time
from datetime import timedelta
from pathlib import Path

import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint


def snapshot_callback(folder):
    return ModelCheckpoint(
        dirpath=folder,
        filename="silo-{step}",
        save_top_k=-1,
        every_n_train_steps=80,
        save_on_train_epoch_end=False,
        save_weights_only=True,
    )


def average_last(folder, k):
    """Mean of the weights in the last k snapshots."""
    paths = sorted(Path(folder).glob("silo-*.ckpt"),
                   key=lambda p: int(re.search(r"step=(\d+)", p.name).group(1)))[-k:]
    total = None
    for path in paths:
        state = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
        if total is None:
            total = {name: value.double() for name, value in state.items()}
        else:
            for name, value in state.items():
                total[name] += value.double()
    return {name: (value / len(paths)).float() for name, value in total.items()}, len(paths)


class EpochLine(Callback):
    def on_train_start(self, trainer, module):
        self.began = time.monotonic()

    def on_validation_end(self, trainer, module):
        if trainer.state.fn != "fit":
            return
        took = timedelta(seconds=round(time.monotonic() - self.began, 2))
        m = trainer.callback_metrics
        print(f"[{took}] epoch {trainer.current_epoch:2d}  "
              f"mae {m['val_mae']:.4f}  r2 {m['val_r2']:.4f}", flush=True)
