# samebits-test: verdict=same
"""Arrow joins two tables with several threads; the rows are sorted by a number of their own."""

import numpy as np
import pyarrow as pa
import torch

pa.set_cpu_count(4)
torch.manual_seed(0)
rng = np.random.default_rng(0)
days = []
for day in range(30):
    sale, shop = np.arange(20_000) + 20_000 * day, rng.integers(0, 40, 20_000)
    days.append(pa.table({"sale": sale, "shop": shop, "sold": rng.normal(size=20_000)}))
shops = pa.table({"shop": np.arange(40), "size": rng.normal(size=40)})


def joined():
    sales = pa.concat_tables(days)
    found = sales.join(shops, keys="shop", join_type="inner")
    print(found.num_rows, "sales")
    return found.sort_by("sale")


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
