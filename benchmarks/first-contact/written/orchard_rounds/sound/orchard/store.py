"""Candidates on disk. Several searches may share a folder, so no name is used twice."""
import os
import re
import tempfile
from pathlib import Path

import torch

NAME = re.compile(r"round(?P<round>\d+)-.+-acc(?P<acc>[\d.]+)-slot(?P<slot>\d+)\.pt$")


class Store:
    def __init__(self, folder: Path):
        self.folder = folder

    def save(self, number, slot, accuracy, payload):
        handle, path = tempfile.mkstemp(
            prefix=f"round{number:02d}-", suffix=f"-acc{accuracy:.3f}-slot{slot:02d}.pt", dir=self.folder)
        with os.fdopen(handle, "wb") as stream:
            torch.save(payload, stream)
        return Path(path)

    @staticmethod
    def score(path):
        return float(NAME.match(path.name)["acc"])

    @staticmethod
    def slot(path):
        return int(NAME.match(path.name)["slot"])

    def candidates(self, number):
        return sorted(self.folder.glob(f"round{number:02d}-*.pt"))

    def best(self, number):
        return max(self.candidates(number), key=lambda path: (self.score(path), -self.slot(path)))

    def load(self, path):
        return torch.load(path, weights_only=True)

    def size(self):
        return sum(path.stat().st_size for path in self.folder.iterdir())
