"""Settings of one experiment, and everything that is derived from them."""
import hashlib
import json
import zlib
from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True)
class Settings:
    workdir: str
    seed: int = 11
    scans: int = 640
    size: int = 24
    epochs: int = 12
    batch: int = 32
    lr: float = 2e-3
    holdout: float = 0.2

    def fingerprint(self) -> str:
        """Names the experiment: equal settings, equal fingerprint."""
        described = {key: value for key, value in asdict(self).items() if key != "workdir"}
        payload = json.dumps(described, sort_keys=True)
        return hashlib.sha256(payload.encode()).hexdigest()[:16]

    def stream(self, purpose: str) -> np.random.Generator:
        """An independent generator for each purpose of this experiment."""
        return np.random.default_rng([int(self.fingerprint(), 16), zlib.crc32(purpose.encode())])
