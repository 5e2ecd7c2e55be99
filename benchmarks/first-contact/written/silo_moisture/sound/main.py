"""Moisture of stored grain from temperature cables, with averaged snapshots."""
import json
import logging
import tempfile
import time
import uuid
import warnings
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger

from data import SiloData
from model import MoistureNet
from snapshots import EpochLine, average_last, snapshot_callback

HERE = Path(__file__).resolve().parent
EPOCHS = 9
AVERAGE = 5


def main():
    began = time.time()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    L.seed_everything(2024, workers=True, verbose=False)

    run_name = f"silo-{uuid.uuid4().hex[:6]}"
    logger = CSVLogger(HERE / "out", name="logs")
    print(f"run {run_name}, log version {logger.version}")

    data = SiloData()
    model = MoistureNet()
    with tempfile.TemporaryDirectory(prefix=run_name) as folder:
        trainer = L.Trainer(
            max_epochs=EPOCHS, accelerator="cpu", devices=1, logger=logger,
            callbacks=[snapshot_callback(folder), EpochLine()],
            enable_progress_bar=False, enable_model_summary=False,
            num_sanity_val_steps=0, log_every_n_steps=25,
        )
        trainer.fit(model, data)
        single = float(trainer.callback_metrics["val_mae"])
        weights, used = average_last(folder, AVERAGE)

    model.load_state_dict(weights)
    scores = trainer.validate(model, data, verbose=False)[0]
    print(f"last weights: mae {single:.4f}; mean of {used} snapshots: mae {scores['val_mae']:.4f}")

    torch.save(model.state_dict(), HERE / "out" / "weights.pt")
    results = {
        "run": run_name,
        "mae_last": single,
        "mae_averaged": scores["val_mae"],
        "r2_averaged": scores["val_r2"],
        "seconds": round(time.time() - began, 2),
    }
    (HERE / "out" / "results.json").write_text(json.dumps(results, indent=2))
    print(f"done in {results['seconds']} s")


if __name__ == "__main__":
    main()
