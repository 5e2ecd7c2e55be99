# %% [markdown]
# # Sorting plankton by taxon
# Vignettes of 36 net tows, measured in parallel; a small network on the measurements.

# %%
import json
import multiprocessing
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import lightning as L
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

from vignettes import TAXA, gather, process_tow

warnings.filterwarnings("ignore", module="lightning")
OUT = Path(__file__).resolve().parent / "out"
SEED = 29
TOWS = 36
PER_TOW = 60


# %%
def measurements():
    """One file per tow in a scratch folder, then all of them in one table."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tows_") as folder:
        jobs = [(tow, SEED, PER_TOW, folder) for tow in range(TOWS)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            done = pool.map(process_tow, jobs, chunksize=3)
        table = gather(folder)
    by_worker = Counter(pid for pid, _ in done)
    print(f"{sum(n for _, n in done)} vignettes by workers {dict(by_worker)} in {time.monotonic() - started:.2f} s")
    return table


# %%
class Sorter(L.LightningModule):
    def __init__(self, inputs, classes, width=64, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(width, classes),
        )
        self.accuracy = MulticlassAccuracy(classes, average="micro")
        self.f1 = MulticlassF1Score(classes, average="macro")
        self.losses = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        x = x + 0.05 * torch.randn_like(x)
        loss = nn.functional.cross_entropy(self(x), y, label_smoothing=0.05)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self(x)
        self.accuracy.update(logits, y)
        self.f1.update(logits, y)

    def on_validation_epoch_end(self):
        self.log("accuracy", self.accuracy.compute())
        self.log("f1", self.f1.compute())
        self.accuracy.reset()
        self.f1.reset()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.5)]


# %%
def run():
    OUT.mkdir(exist_ok=True)
    torch.set_num_threads(1)
    L.seed_everything(SEED, workers=True, verbose=False)
    table = measurements()
    present = {TAXA[t] for t in table["taxa"]}
    print("taxa:", ", ".join(sorted(present)))

    x = torch.from_numpy(StandardScaler().fit_transform(table["features"])).float()
    y = torch.from_numpy(table["taxa"])
    dataset = TensorDataset(x, y)
    held_out = len(dataset) // 5
    train, test = random_split(dataset, [len(dataset) - held_out, held_out], generator=torch.Generator().manual_seed(SEED))
    shares = np.bincount(y[train.indices].numpy(), minlength=len(TAXA)) / len(train)
    print("shares:", " ".join(f"{name} {share:.3f}" for name, share in zip(TAXA, shares)))

    model = Sorter(x.shape[1], len(TAXA))
    trainer = L.Trainer(
        max_epochs=10,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        default_root_dir=OUT,
    )
    begun = time.monotonic()
    trainer.fit(model, DataLoader(train, batch_size=48, shuffle=True, drop_last=True), DataLoader(test, batch_size=256))
    print(f"trained for {time.monotonic() - begun:.1f} s")
    return model, {name: float(value) for name, value in trainer.callback_metrics.items()}


# %%
if __name__ == "__main__":
    model, scores = run()
    print(f"last loss {model.losses[-1]:.7f}")
    for name, value in sorted(scores.items()):
        print(f"{name} {value:.5f}")
    torch.save(model.state_dict(), OUT / "sorter.pt")
    (OUT / "scores.json").write_text(json.dumps({**scores, "loss": model.losses[-1]}))
    (OUT / "finished").write_text(time.strftime("%d %b %Y %H:%M:%S\n"))
