import zlib

import numpy as np
import torch

from config import Config

FEATURES = ["teu", "reefer_share", "weekday_sin", "weekday_cos", "queue", "crane_rate", "transship"]


def port_calls(port: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Vessel calls of one port and the mean dwell of their containers, in days."""
    rng = np.random.default_rng(zlib.crc32(port.encode()))
    teu = rng.gamma(3.0, 600.0, n)
    reefer = rng.beta(2, 9, n)
    weekday = rng.integers(0, 7, n)
    queue = rng.poisson(3 + 4 * rng.random(), n)
    crane = rng.normal(26 + 4 * rng.standard_normal(), 2.0, n)
    transship = rng.beta(3, 3 + 3 * rng.random(), n)
    dwell = (
        2.2
        + 0.6 * np.log1p(teu / 800)
        - 1.8 * reefer
        + 0.14 * queue
        - 0.05 * (crane - 26)
        + 1.7 * transship**2
        + 0.5 * (weekday >= 4)
        + rng.gumbel(0, 0.35, n)
    )
    angle = 2 * np.pi * weekday / 7
    x = np.stack([teu / 1000, reefer, np.sin(angle), np.cos(angle), queue / 5, crane / 10, transship], 1)
    return x.astype(np.float32), dwell.astype(np.float32)


def load_ports(ports, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    parts = [port_calls(p, n) for p in ports]
    x = np.concatenate([p[0] for p in parts])
    y = np.concatenate([p[1] for p in parts])
    return torch.from_numpy(x), torch.from_numpy(y)


def split(cfg: Config):
    unknown = set(cfg.holdout) - set(cfg.ports)
    if unknown:
        raise ValueError(f"unknown ports in holdout: {', '.join(sorted(unknown))}")
    train_ports = list(set(cfg.ports) - set(cfg.holdout))
    train = load_ports(train_ports, cfg.calls_per_port)
    test = {p: load_ports([p], cfg.calls_per_port) for p in cfg.holdout}
    return train, test
