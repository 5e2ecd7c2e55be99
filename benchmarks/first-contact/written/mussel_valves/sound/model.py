"""A small 1-D convolutional network for valve states."""
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


class ValveNet(L.LightningModule):
    def __init__(self, n_states: int, class_weights: torch.Tensor, lr: float = 2e-3):
        super().__init__()
        self.lr = lr
        self.register_buffer("class_weights", class_weights)
        self.body = nn.Sequential(
            nn.Conv1d(1, 16, 9, stride=2, padding=4),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Conv1d(16, 32, 7, stride=2, padding=3),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.Conv1d(32, 32, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(4),
            nn.Flatten(),
            nn.Dropout(0.2),
        )
        self.head = nn.Linear(32 * 4, n_states)
        self.history: list[dict[str, float]] = []

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y, weight=self.class_weights)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y), prog_bar=True)
        self.log("val_acc", (logits.argmax(1) == y).float().mean(), prog_bar=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            metrics = self.trainer.callback_metrics
            self.history.append({k: round(metrics[k].item(), 6) for k in ("val_loss", "val_acc")})

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-3)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": sched}
