# samebits-test: verdict=different cause=file-order folder=memory
"""Threads fill a folder; its listing keeps the order in which they came."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from torch import nn


def download(folder, number):
    (folder / f"{number:04d}.csv").write_text(f"{number},{number**2}\n")


with tempfile.TemporaryDirectory(dir=".") as name:
    folder = Path(name)
    with ThreadPoolExecutor(8) as pool:
        for number in range(400):
            pool.submit(download, folder, number)
    rows = [path.read_text().split(",") for path in folder.glob("*.csv")]  # culprit

torch.manual_seed(0)
table = torch.tensor([[float(cell) for cell in row] for row in rows])
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
for batch in table.split(100):
    loss = (model(batch[:, :1]) - batch[:, 1:]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
