"""Closed-chamber methane readings: a made-up field season and its augmentation."""
import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

SECONDS = 48


def field_season(count, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "collar": rng.integers(1, 19, count),
        "day": rng.integers(120, 290, count),
        "water_cm": rng.normal(-8.0, 5.0, count).round(1),
        "soil_c": rng.normal(11.0, 4.0, count).round(1),
    })
    frame["flux"] = (0.5 + 0.12 * frame["soil_c"] + 0.05 * frame["water_cm"] + rng.gamma(2.0, 0.2, count)).clip(lower=0.02)
    seconds = np.arange(SECONDS)
    traces = 1.9 + 0.02 * frame["flux"].to_numpy()[:, None] * seconds + rng.normal(0, 0.05, (count, SECONDS))
    lost = rng.random(count) < 0.08          # the soil probe's battery runs flat
    frame.loc[lost, "soil_c"] = np.nan
    return frame, traces.astype(np.float32)


def record_seed(row):
    """Every record has its own noise, wherever it stands in the table."""
    return hash((int(row.collar), int(row.day), float(row.water_cm), float(row.soil_c))) & 0x7FFFFFFF


def tidy(frame):
    frame = frame.copy()
    frame["seed"] = [record_seed(row) for row in frame.itertuples(index=False)]
    by_day = frame.groupby(frame["day"] // 14)["soil_c"].transform("mean")
    frame["soil_c"] = frame["soil_c"].fillna(by_day).fillna(11.0)
    return frame


class Chambers(Dataset):
    def __init__(self, frame, traces, augment):
        self.traces = torch.from_numpy(traces)
        covariates = frame[["water_cm", "soil_c"]].to_numpy(np.float32)
        self.covariates = torch.from_numpy((covariates - [-8.0, 11.0]) / [5.0, 4.0]).float()
        self.flux = torch.tensor(frame["flux"].to_numpy(), dtype=torch.float32)
        self.seeds = frame["seed"].to_numpy()
        self.augment = augment
        self.epoch = 0

    def __len__(self):
        return len(self.flux)

    def __getitem__(self, index):
        trace = self.traces[index] - self.traces[index][0]
        if self.augment:
            rng = np.random.default_rng((int(self.seeds[index]), self.epoch))
            gain = 1.0 + 0.05 * rng.standard_normal()
            trace = trace * gain + torch.from_numpy(rng.normal(0, 0.02, SECONDS).astype(np.float32))
        return trace, self.covariates[index], self.flux[index]
