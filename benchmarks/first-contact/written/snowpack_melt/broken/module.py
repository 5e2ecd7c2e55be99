import lightning as L
import torch
from torch import nn

FEATURES = ["elevation", "temp", "sun", "swe", "temp_max", "degree_days"]


class MeltModule(L.LightningModule):
    def __init__(self, n_stations, width=64, lr=4e-3):
        super().__init__()
        self.save_hyperparameters()
        self.site = nn.Embedding(n_stations, 6)
        self.net = nn.Sequential(
            nn.Linear(len(FEATURES) + 6, width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1),
        )

    def forward(self, x, site):
        return self.net(torch.cat([x, self.site(site)], dim=1)).squeeze(1)

    def training_step(self, batch, _):
        x, site, y = batch
        return nn.functional.huber_loss(self(x, site), y)

    def validation_step(self, batch, _):
        x, site, y = batch
        out = self(x, site)
        self.log("val_rmse", torch.sqrt(nn.functional.mse_loss(out, y)))
        self.log("val_bias", (out - y).mean())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
