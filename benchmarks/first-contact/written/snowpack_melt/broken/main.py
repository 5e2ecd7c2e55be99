"""Next-day snow melt at pillow stations, from yesterday's weather and the pack itself."""
import json
import logging
import time
import warnings
from pathlib import Path

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

from module import FEATURES, MeltModule
from stations import SEASON, load_all, write_logger_files

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="lightning")

SEED = 2019
STATIONS = 48
EPOCHS = 5


def to_dataset(frame, mean, std, index):
    x = torch.tensor(((frame[FEATURES] - mean) / std).to_numpy(), dtype=torch.float32)
    site = torch.tensor(frame["station"].map(index).to_numpy())
    y = torch.tensor(frame["melt"].to_numpy(), dtype=torch.float32)
    return TensorDataset(x, site, y)


def main():
    L.seed_everything(SEED, verbose=False)
    start = time.time()
    folder = Path("logger_files")
    names = write_logger_files(folder, STATIONS, SEED)
    frame = load_all(folder, names)
    print(f"{len(frame)} station days in {time.time() - start:.1f} s")

    # the last three weeks of the season are for validation
    late = frame["time"] >= SEASON[-21]
    mean, std = frame.loc[~late, FEATURES].mean(), frame.loc[~late, FEATURES].std()
    index = {name: i for i, name in enumerate(names)}
    train = to_dataset(frame[~late], mean, std, index)
    val = to_dataset(frame[late], mean, std, index)

    model = MeltModule(len(names))
    trainer = L.Trainer(
        max_epochs=EPOCHS, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, DataLoader(train, batch_size=64, shuffle=True), DataLoader(val, batch_size=2048))

    result = {k: float(v) for k, v in trainer.callback_metrics.items()}
    result["climatology_rmse"] = float((frame.loc[late, "melt"] - frame.loc[~late, "melt"].mean()).pow(2).mean() ** 0.5)
    out = Path("results") / time.strftime("%m%d_%H%M%S")
    out.mkdir(parents=True)
    torch.save(model.state_dict(), out / "melt.pt")
    (out / "metrics.json").write_text(json.dumps(result, indent=2))
    print(f"rmse {result['val_rmse']:.3f} mm, saved to {out}")


if __name__ == "__main__":
    main()
