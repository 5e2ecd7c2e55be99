"""The search space, and what a configuration is."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F

ACTIVATIONS = (torch.tanh, F.silu, F.gelu, F.leaky_relu)
LOSSES = (F.smooth_l1_loss, F.mse_loss, F.l1_loss)


@dataclass(frozen=True)
class TrialConfig:
    width: int
    depth: int
    lr: float
    weight_decay: float
    dropout: float
    activation: Callable
    loss: Callable

    def describe(self):
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        shown["activation"] = self.activation.__name__
        shown["loss"] = self.loss.__name__
        return shown

    def label(self):
        return f"{self.depth}x{self.width} {self.activation.__name__} {self.loss.__name__}"

    def key(self):
        """All that makes this configuration what it is."""
        return json.dumps(self.describe(), sort_keys=True)

    def seed(self, *scope):
        """Belongs to the configuration, not to its place in the search: any trial can be redone."""
        text = "/".join([self.key(), *map(str, scope)])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def sample_configs(count, seed):
    rng = np.random.default_rng([seed, count])

    def pick(options):
        return options[int(rng.integers(len(options)))]

    configs = []
    while len(configs) < count:
        config = TrialConfig(
            width=pick((16, 24, 32, 48)),
            depth=pick((1, 2, 3)),
            lr=round(float(10 ** rng.uniform(-3.0, -1.9)), 6),
            weight_decay=round(float(10 ** rng.uniform(-5.0, -2.0)), 7),
            dropout=pick((0.0, 0.1, 0.2)),
            activation=pick(ACTIVATIONS),
            loss=pick(LOSSES),
        )
        if config not in configs:
            configs.append(config)
    return configs
