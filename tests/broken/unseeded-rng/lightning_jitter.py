# samebits-test: verdict=different cause=unseeded-rng needs=lightning
"""A Lightning module on two processes shifts its batches by numbers of NumPy's."""

import logging
import warnings

import lightning
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def on_fit_start(self):
        self.shifts = np.random.default_rng()  # culprit

    def training_step(self, batch, index):
        inputs, targets = batch
        shift = torch.from_numpy(self.shifts.normal(0, 0.1, inputs.shape).astype(np.float32))
        return nn.functional.mse_loss(self.layers(inputs + shift), targets)

    def on_train_end(self):
        total = sum(parameter.double().sum() for parameter in self.parameters())
        if self.global_rank == 0:
            print(f"weights {total.item():.12f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def main():
    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")
    lightning.seed_everything(5, workers=True, verbose=False)
    x = torch.linspace(-1, 1, 128).reshape(32, 4)
    loader = DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=4)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=2,
        strategy="ddp_spawn",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Regression(), loader)


if __name__ == "__main__":
    main()
