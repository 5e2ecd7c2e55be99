"""What is tried, and the name and seed that a trial gets from what it is."""

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Callable

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Trial:
    width: int
    depth: int
    activation: Callable
    rate: float = 3e-3
    dropout: float = 0.0


def qualified(value):
    return getattr(value, "__qualname__", value.__class__.__qualname__)


def fingerprint(trial):
    """A digest of all settings, so that a trial's seed doesn't hang on its place in the list."""
    content = {field.name: getattr(trial, field.name) for field in fields(trial)}
    text = json.dumps(content, sort_keys=True, default=qualified)
    return hashlib.sha256(text.encode()).hexdigest()


def seed_of(trial):
    return int(fingerprint(trial)[:8], 16)


def title(trial):
    return f"{trial.activation.__name__}-{trial.depth}x{trial.width}"


def grid():
    return [
        Trial(width=32, depth=2, activation=F.softplus),
        Trial(width=32, depth=2, activation=F.silu),
        Trial(width=48, depth=3, activation=torch.tanh, rate=2e-3),
        Trial(width=48, depth=3, activation=F.silu, rate=2e-3, dropout=0.05),
    ]
