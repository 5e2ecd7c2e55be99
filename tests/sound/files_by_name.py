# samebits-test: verdict=same
"""A listing is turned into a dict, and the script asks by name."""

import tempfile
from pathlib import Path

import torch


class Archive:
    def __init__(self, folder):
        self.paths = {path.stem: path for path in folder.iterdir()}

    def __getitem__(self, name):
        return torch.tensor([float(x) for x in self.paths[name].read_text().split()])


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for number, stem in enumerate(("mean", "scale", "shift")):
        (folder / f"{stem}.txt").write_text(f"{number} {number + 0.5}")
    archive = Archive(folder)
    print((archive["mean"] * archive["scale"] + archive["shift"]).sum())
