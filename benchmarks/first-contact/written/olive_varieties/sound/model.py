import lightning as L
import torch
from torch import nn
from torchmetrics.classification import MulticlassAccuracy


class VarietyNet(L.LightningModule):
    def __init__(self, inputs, classes, width=48, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(width, width), nn.ReLU(), nn.Linear(width, classes))
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.accuracy = MulticlassAccuracy(classes)

    def forward(self, x):
        return self.body(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _evaluate(self, batch, stage):
        x, y = batch
        logits = self(x)
        self.accuracy(logits, y)
        self.log(f"{stage}_loss", self.loss(logits, y))
        self.log(f"{stage}_acc", self.accuracy)

    def validation_step(self, batch, _):
        self._evaluate(batch, "val")

    def test_step(self, batch, _):
        self._evaluate(batch, "test")

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
        return {"optimizer": optimizer, "lr_scheduler": schedule}
