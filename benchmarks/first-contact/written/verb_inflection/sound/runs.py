"""Run folders, and the random streams of an experiment."""

import hashlib
import json
import os
import platform
from datetime import datetime
from pathlib import Path

import numpy as np
import torch


def load_config(path, changes):
    """The configuration file, with KEY=VALUE changes from the command line."""
    config = json.loads(Path(path).read_text())
    for change in changes:
        key, _, value = change.partition("=")
        if key not in config:
            raise SystemExit(f"no such setting: {key}")
        config[key] = type(config[key])(value)
    return config


def fingerprint(config):
    """32 bits that identify a configuration, whatever the order of its keys."""
    text = json.dumps(config, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def open_run(config):
    """Makes the folder of a run and records in the configuration where and when it ran."""
    started = datetime.now()
    folder = Path(config["output"]) / f"{config['experiment']}-{started:%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True, exist_ok=True)
    config["run"] = {
        "folder": str(folder),
        "started": started.isoformat(timespec="milliseconds"),
        "host": platform.node(),
        "pid": os.getpid(),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    return folder


class Streams:
    """Random streams by name. Each depends on the root and its own name only, so that an experiment that draws more from
    one of them leaves the others as they were."""

    def __init__(self, root):
        self.root = root

    def seed(self, name):
        digest = hashlib.sha256(f"{self.root}/{name}".encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def numpy(self, name):
        return np.random.default_rng(self.seed(name))

    def torch(self, name):
        return torch.Generator().manual_seed(self.seed(name))
