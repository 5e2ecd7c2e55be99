import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

from curves import CONDITIONS


class CurveClassifier(pl.LightningModule):
    def __init__(self, channels=24, dropout=0.2, lr=2e-3, total_epochs=8):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Conv1d(1, channels, 7, padding=3), nn.BatchNorm1d(channels), nn.GELU(), nn.MaxPool1d(2),
            nn.Conv1d(channels, 2 * channels, 5, padding=2), nn.BatchNorm1d(2 * channels), nn.GELU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Dropout(dropout),
        )
        self.head = nn.Linear(8 * channels, len(CONDITIONS))
        self.val_acc = MulticlassAccuracy(len(CONDITIONS))
        self.test_acc = MulticlassAccuracy(len(CONDITIONS))
        self.test_f1 = MulticlassF1Score(len(CONDITIONS))

    def forward(self, curves):
        return self.head(self.body(curves))

    def training_step(self, batch, batch_idx):
        curves, labels = batch
        loss = F.cross_entropy(self(curves), labels, label_smoothing=0.05)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        curves, labels = batch
        logits = self(curves)
        self.val_acc(logits, labels)
        self.log("val_loss", F.cross_entropy(logits, labels), prog_bar=True)
        self.log("val_acc", self.val_acc, prog_bar=True)

    def test_step(self, batch, batch_idx):
        curves, labels = batch
        logits = self(curves)
        self.test_acc(logits, labels)
        self.test_f1(logits, labels)
        self.log("test_loss", F.cross_entropy(logits, labels))
        self.log("test_acc", self.test_acc)
        self.log("test_f1", self.test_f1)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.hparams.total_epochs)
        return {"optimizer": optimizer, "lr_scheduler": schedule}
