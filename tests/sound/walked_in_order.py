# samebits-test: verdict=same
"""os.walk with its folders sorted in place and its files sorted."""

import os
import tempfile

import torch


def documents(root):
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name)) as file:
                yield float(file.read())


with tempfile.TemporaryDirectory() as root:
    for k in range(12):
        os.makedirs(f"{root}/d{k % 3}", exist_ok=True)
        with open(f"{root}/d{k % 3}/{k}.txt", "w") as file:
            file.write(str(k / 12))
    values = torch.tensor(list(documents(root)))
print(values.diff().abs().sum())
