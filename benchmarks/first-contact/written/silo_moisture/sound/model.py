import lightning as L
import torch
from torch import nn
from torchmetrics import MeanAbsoluteError, R2Score

from data import SENSORS


class MoistureNet(L.LightningModule):
    def __init__(self, width=24, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Conv1d(SENSORS, width, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(4 * width, 32), nn.ReLU(), nn.Linear(32, 1),
        )
        self.mae = MeanAbsoluteError()
        self.r2 = R2Score()

    def forward(self, x):
        return self.body(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.smooth_l1_loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.mae(out, y)
        self.r2(out, y)
        self.log("val_mae", self.mae, on_epoch=True)
        self.log("val_r2", self.r2, on_epoch=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": opt,
                "lr_scheduler": torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)}
