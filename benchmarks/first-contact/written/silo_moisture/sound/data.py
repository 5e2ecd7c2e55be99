"""Synthetic readings of temperature cables in grain silos."""
import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

HOURS = 48
SENSORS = 6


def make_silos(n, seed):
    """Hourly temperatures of six sensors for two days, and the moisture at the hatch."""
    rng = np.random.default_rng(seed)
    hours = np.arange(HOURS)
    moisture = rng.normal(14.5, 1.4, size=n).clip(10.5, 19.0)
    ambient = rng.normal(18.0, 6.0, size=n)
    phase = rng.uniform(0, 2 * np.pi, size=n)
    heating = 0.035 * np.maximum(moisture - 13.0, 0.0) ** 1.5
    depth = np.linspace(0.0, 1.0, SENSORS)
    daily = 4.0 * np.sin(2 * np.pi * hours[None, :] / 24 + phase[:, None])
    temps = (
        ambient[:, None, None]
        + daily[:, :, None] * np.exp(-3.0 * depth)[None, None, :]
        + heating[:, None, None] * hours[None, :, None] * depth[None, None, :]
        + rng.normal(0.0, 0.6, size=(n, HOURS, SENSORS))
    )
    return temps.astype(np.float32), moisture.astype(np.float32)


class SiloData(L.LightningDataModule):
    def __init__(self, batch_size=32, seed=11):
        super().__init__()
        self.batch_size = batch_size
        self.seed = seed

    def setup(self, stage=None):
        x, y = make_silos(3200, self.seed)
        mean, std = x[:2400].mean((0, 1)), x[:2400].std((0, 1))
        x = torch.from_numpy((x - mean) / std).transpose(1, 2).contiguous()
        y = torch.from_numpy((y - 14.5) / 1.4)
        self.train = TensorDataset(x[:2400], y[:2400])
        self.val = TensorDataset(x[2400:], y[2400:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=200)
