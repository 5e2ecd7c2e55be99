"""Predict surcharge at ungauged manholes from pipe data and the gauged ones in the same catchment."""
import json
import time
import uuid
from pathlib import Path

import networkx as nx
import torch
from torch.nn.functional import mse_loss

from model import PipeGCN
from network import build_network, catchment_tensors

OUT = Path(__file__).parent / "out"
EPOCHS = 90

torch.set_num_threads(1)
torch.manual_seed(5)
start = time.time()
run_name = uuid.uuid4().hex[:8]

net = build_network()
flooded = {name for name, level in net.nodes(data="surcharge") if level > 0.4}
print(f"[{run_name}] {net.number_of_nodes()} manholes, {net.number_of_edges()} pipes, {len(flooded)} surcharged")

catchments = sorted(nx.connected_components(net), key=len, reverse=True)
graphs = []
for members in catchments:
    x, adjacency, y = catchment_tensors(net, members)
    gauged = torch.zeros(len(y), dtype=torch.bool)
    gauged[torch.randperm(len(y))[: int(0.6 * len(y))]] = True
    surcharged = sum(name in flooded for name in members)
    print(f"  catchment of {len(y)}: {int(gauged.sum())} gauged, {surcharged} surcharged")
    graphs.append((x, adjacency, y, gauged))

stacked = torch.cat([x for x, _, _, _ in graphs])
mean, std = stacked.mean(0), stacked.std(0)
graphs = [((x - mean) / std, a, y, g) for x, a, y, g in graphs]

model = PipeGCN()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for i in torch.randperm(len(graphs)).tolist():
        x, adjacency, y, gauged = graphs[i]
        optimizer.zero_grad()
        loss = mse_loss(model(x, adjacency)[gauged], y[gauged])
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 15 == 14:
        print(f"epoch {epoch + 1:3d}  loss {total / len(graphs):.4f}  {time.time() - start:.1f} s")

model.eval()
with torch.no_grad():
    errors = [mse_loss(model(x, a)[~g], y[~g]).sqrt().item() for x, a, y, g in graphs]

OUT.mkdir(exist_ok=True)
torch.save({"model": model.state_dict(), "mean": mean, "std": std}, OUT / "gcn.pt")
(OUT / "results.json").write_text(json.dumps({
    "run": run_name, "seconds": round(time.time() - start, 2),
    "rmse_by_catchment": errors, "rmse": sum(errors) / len(errors)}, indent=1))
print(f"rmse at ungauged manholes {sum(errors) / len(errors):.4f}, {time.time() - start:.1f} s")
