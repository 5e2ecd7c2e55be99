# samebits-test: vary=listing cause=file-order
"""A corpus class walks over its folder with Path.iterdir."""

import tempfile
from pathlib import Path

import torch


class Corpus:
    def __init__(self, folder):
        self.folder = folder

    def __iter__(self):
        for path in self.folder.iterdir():  # culprit
            yield [ord(letter) / 100 for letter in path.read_text()]


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for word in ("alpha", "gamma", "delta", "omega", "sigma", "theta", "kappa"):
        (folder / f"{word}.txt").write_text(word)
    documents = torch.tensor(list(Corpus(folder)))
state = torch.zeros(5)
for document in documents:
    state = torch.tanh(state + document)
print(state)
