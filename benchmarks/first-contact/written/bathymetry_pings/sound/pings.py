"""Sonar pings in one flat file of float32 records: depth, then the echo in four bands."""
import numpy as np
import torch
from torch.utils.data import Dataset

SAMPLES, BANDS = 64, 4
RECORD = 4 * (1 + BANDS * SAMPLES)
FOOTER = np.zeros(16 * SAMPLES, np.float32)  # reserved for calibration


def write_survey(path, count, seed):
    rng = np.random.default_rng(seed)
    depth = 5 + 40 * rng.beta(2, 3, count)
    time = np.arange(SAMPLES)[None, :]
    arrival = depth[:, None] * 1.25
    envelope = np.exp(-0.5 * ((time - arrival) / rng.uniform(1.5, 4, (count, 1))) ** 2)
    bands = [
        envelope * np.exp(-depth[:, None] / loss) + 0.15 * np.abs(rng.standard_normal((count, SAMPLES)))
        for loss in (80, 60, 45, 30)
    ]
    table = np.column_stack([depth / 50, *bands]).astype(np.float32)
    with open(path, "wb") as out:
        out.write(table.tobytes())
        out.write(FOOTER.tobytes())


class PingFile(Dataset):
    """Reads each ping when it is asked for; surveys are too large to hold."""

    def __init__(self, path):
        self.path = path
        self.stream = None
        with open(path, "rb") as probe:
            self.count = (probe.seek(0, 2) - FOOTER.nbytes) // RECORD

    def open(self):
        self.stream = open(self.path, "rb", buffering=0)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.stream is None:
            self.open()
        self.stream.seek(index * RECORD)
        depth = torch.tensor(np.frombuffer(self.stream.read(4), np.float32))
        bands = torch.empty(BANDS, SAMPLES)
        for band in bands:
            echo = np.frombuffer(self.stream.read(4 * SAMPLES), np.float32)
            floor = np.median(echo)
            band.copy_(torch.tensor((echo - floor) / (echo.std() + 0.1)))
        return bands.flatten(), depth
