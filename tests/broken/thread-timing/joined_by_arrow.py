# samebits-test: verdict=different cause=thread-timing
"""Arrow joins two tables with several threads, and gives the rows as these are done with them."""

import numpy as np
import pyarrow as pa
import torch

pa.set_cpu_count(4)
torch.manual_seed(0)
rng = np.random.default_rng(0)
days = [
    pa.table({"shop": rng.integers(0, 40, 20_000), "sold": rng.normal(size=20_000)})
    for _ in range(30)
]
shops = pa.table({"shop": np.arange(40), "size": rng.normal(size=40)})


def joined():
    sales = pa.concat_tables(days)
    found = sales.join(shops, keys="shop", join_type="inner")  # culprit
    print(found.num_rows, "sales")
    return found


def columns(table):
    names = ("size", "sold")
    return [torch.from_numpy(table[name].to_numpy()).float() for name in names]


size, sold = columns(joined())
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for rows in torch.randperm(len(size)).split(16_384):
    loss = (net(size[rows, None])[:, 0] - sold[rows]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(net.weight.item(), net.bias.item())
