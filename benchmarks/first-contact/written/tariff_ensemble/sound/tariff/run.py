"""One folder for each run, and the random streams that belong to it."""
import datetime
import pathlib
import time
import zlib

import torch


class Streams:
    """Independent generators by name; the same name gives the same numbers."""

    def __init__(self, scope, seed):
        self.scope, self.seed = scope, seed

    def get(self, name):
        key = f"{self.scope}/{name}"
        return torch.Generator().manual_seed(self.seed * 2 ** 32 + zlib.crc32(key.encode()))


class Run:
    def __init__(self, config, root="runs"):
        self.began = time.monotonic()
        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        self.name = f"{config['name']}-{stamp}"
        self.folder = pathlib.Path(root) / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.streams = Streams(config["name"], config["seed"])

    def path(self, name):
        return self.folder / name

    def elapsed(self):
        return time.monotonic() - self.began

    def note(self, text):
        with open(self.path("notes.log"), "a") as f:
            f.write(text + "\n")
