"""Raw counts of the tile wall to light yield."""
import json
from pathlib import Path

import numpy as np


class Calibration:
    def __init__(self, pedestal: np.ndarray, gain: np.ndarray):
        self.pedestal = pedestal.astype(np.uint16)
        self.gain = gain.astype(np.float32)

    @classmethod
    def load(cls, path: Path) -> "Calibration":
        constants = json.loads(path.read_text())
        return cls(np.array(constants["pedestal"]), np.array(constants["gain"]))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"pedestal": self.pedestal.tolist(),
                                    "gain": [[round(float(g), 5) for g in row] for row in self.gain]}))

    def net_counts(self, raw: np.ndarray) -> np.ndarray:
        """Counts above the pedestal. The type is unsigned: what lies below must not wrap around."""
        counts = np.zeros_like(raw)
        np.subtract(raw, self.pedestal, out=counts, where=raw > self.pedestal)
        return counts

    def light(self, raw: np.ndarray) -> np.ndarray:
        return np.sqrt(self.net_counts(raw) * self.gain)
