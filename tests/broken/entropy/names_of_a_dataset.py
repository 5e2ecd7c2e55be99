# samebits-test: verdict=different cause=entropy detail=uuid
"""Arrow names the files of a dataset by chance, and reads them in the order of their names."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

torch.manual_seed(0)
rng = np.random.default_rng(0)
shutil.rmtree("days", ignore_errors=True)
for day in range(20):
    heat = rng.normal(day, 1.0, 32)
    table = pa.table({"heat": heat, "sold": heat**2 + rng.normal(size=32)})
    pq.write_to_dataset(table, "days")  # culprit
table = pq.read_table("days")
heat, sold = (torch.from_numpy(table[name].to_numpy()).float() for name in ("heat", "sold"))
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
for rows in torch.randperm(len(heat)).split(64):
    loss = (net(heat[rows, None])[:, 0] - sold[rows]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(net.weight.item(), net.bias.item())
