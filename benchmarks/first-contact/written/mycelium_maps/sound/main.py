"""Map fungal genets over forest plots from the tips that were genotyped."""
import json
import logging
import os
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch_geometric import seed_everything

from hyphae import build_graph
from model import GenetNet
from plots import GENETS, sample_forest

OUT = Path("maps")
EPOCHS = 70


def evaluate(model, graph) -> tuple[float, float]:
    model.eval()
    with torch.no_grad():
        logits = model(graph.x, graph.edge_index)
    rest = ~graph.known
    right = (logits.argmax(1) == graph.y)[rest].float().mean().item()
    return right, F.cross_entropy(logits[rest], graph.y[rest]).item()


def main():
    OUT.mkdir(exist_ok=True)
    logging.basicConfig(
        filename=OUT / "linking.log",
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(threadName)s %(message)s",
    )
    t0 = time.perf_counter()
    seed_everything(23)
    plots = sample_forest(4, 6, seed=23)
    graph = build_graph(plots)
    t_graph = time.perf_counter() - t0
    print(f"{len(plots)} plots, {graph.num_nodes} tips, {graph.num_edges} links ({t_graph:.2f} s)")
    print(f"genotyped: {int(graph.known.sum())} tips")

    model = GenetNet(graph.num_features, GENETS)
    opt = torch.optim.Adam(model.parameters(), lr=8e-3, weight_decay=1e-4)
    curve, best = [], (float("inf"), 0)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        logits = model(graph.x, graph.edge_index)
        loss = F.cross_entropy(logits[graph.known], graph.y[graph.known], label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 10 == 0:
            right, nll = evaluate(model, graph)
            curve.append({"epoch": epoch, "loss": loss.item(), "accuracy": right, "nll": nll})
            best = min(best, (nll, epoch))
            print(f"epoch {epoch:3d}  loss {loss.item():.5f}  rest {right:.4f}  nll {nll:.5f}")

    with torch.no_grad():
        sizes = torch.bincount(model.eval()(graph.x, graph.edge_index).argmax(1), minlength=GENETS)
    print("tips per genet:", sizes.tolist())
    torch.save(model.state_dict(), OUT / "genetnet.pt")
    report = {
        "pid": os.getpid(),
        "curve": curve,
        "best_epoch": best[1],
        "sizes": sizes.tolist(),
        "seconds": {"graph": t_graph, "total": time.perf_counter() - t0},
    }
    (OUT / "report.json").write_text(json.dumps(report, indent=2))
    print(f"total {report['seconds']['total']:.1f} s")


if __name__ == "__main__":
    main()
