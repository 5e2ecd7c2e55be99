"""Sort compression force curves of a rotary tablet press into four punch conditions."""
import json
import logging
import time
import uuid
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import ModelCheckpoint, Timer
from lightning.pytorch.loggers import CSVLogger

from clocks import EpochClock
from curves import CurveModule
from network import CurveClassifier

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("press")


@dataclass
class Config:
    seed: int = 2024
    curves: int = 2400
    points: int = 96
    batch_size: int = 32
    channels: int = 24
    dropout: float = 0.2
    lr: float = 2e-3
    epochs: int = 8


def main():
    cfg = Config()
    run_name = f"{datetime.now():%m%d-%H%M}-{uuid.uuid4().hex[:6]}"
    out = Path("outputs") / run_name
    torch.set_num_threads(1)
    pl.seed_everything(cfg.seed, workers=True)
    log.info("run %s, %s", run_name, asdict(cfg))

    data = CurveModule(cfg.curves, cfg.points, cfg.batch_size, cfg.seed)
    model = CurveClassifier(cfg.channels, cfg.dropout, cfg.lr, total_epochs=cfg.epochs)

    # The press computer is switched off without notice: what was reached is kept on disk meanwhile.
    snapshots = ModelCheckpoint(
        dirpath=out / "snapshots",
        filename="{step:05d}",
        train_time_interval=timedelta(seconds=1),
    )
    timer = Timer(interval="epoch")
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=cfg.epochs,
        callbacks=[snapshots, timer, EpochClock()],
        logger=CSVLogger(out, name="metrics", version=run_name),
        log_every_n_steps=20,
        enable_model_summary=False,
    )
    started = time.perf_counter()
    trainer.fit(model, datamodule=data)
    log.info("fit took %.1fs (timer: %.1fs)", time.perf_counter() - started, timer.time_elapsed("train"))

    # Lines load what is on disk, so this is also what gets tested and handed over.
    released = CurveClassifier.load_from_checkpoint(snapshots.best_model_path)
    log.info("released snapshot %s", Path(snapshots.best_model_path).name)
    scores = trainer.test(released, datamodule=data, verbose=False)[0]

    torch.save(released.state_dict(), out / "press_model.pt")
    results = {name: round(value, 6) for name, value in sorted(scores.items())}
    (out / "results.json").write_text(json.dumps(results, indent=2))
    print("test:", "  ".join(f"{name}={value:.4f}" for name, value in results.items()))


if __name__ == "__main__":
    main()
