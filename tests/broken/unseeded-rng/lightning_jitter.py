# samebits-test: verdict=different cause=unseeded-rng needs=lightning
"""A Lightning module on two processes shifts its batches by numbers of NumPy's."""

import warnings

import lightning
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

QUIET = ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def on_fit_start(self):
        self.shifts = np.random.default_rng()  # culprit

    def training_step(self, batch, index):
        shift = self.shifts.normal(0, 0.1, batch[0].shape).astype(np.float32)
        return nn.functional.mse_loss(self.layers(batch[0] + torch.from_numpy(shift)), batch[1])

    def on_train_end(self):
        if self.global_rank == 0:
            print(f"weights {sum(p.double().sum() for p in self.parameters()).item():.12f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    lightning.seed_everything(5, workers=True, verbose=False)
    x = torch.linspace(-1, 1, 128).reshape(32, 4)
    loader = DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=4)
    on = {"accelerator": "cpu", "devices": 2, "strategy": "ddp_spawn"}
    trainer = lightning.Trainer(max_epochs=2, **on, **dict.fromkeys(QUIET, False))
    trainer.fit(Regression(), loader)
