"""Predict which spices go together, with PyTorch Geometric."""
import json
import time
from datetime import date
from pathlib import Path

import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score
from torch_geometric.transforms import NormalizeFeatures, RandomLinkSplit
from torch_geometric.utils import negative_sampling

from affinity import AffinityNet
from recipes import make_graph, make_recipes
from setup import Config, prepare


def train_epoch(model, data, optimizer):
    model.train()
    positive = data.edge_label_index
    negative = negative_sampling(
        data.edge_index, num_nodes=data.num_nodes, num_neg_samples=positive.size(1))
    pairs = torch.cat([positive, negative], dim=1)
    labels = torch.cat([torch.ones(positive.size(1)), torch.zeros(negative.size(1))])
    loss = F.binary_cross_entropy_with_logits(model(data.x, data.edge_index, pairs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    scores = model(data.x, data.edge_index, data.edge_label_index).numpy()
    labels = data.edge_label.numpy()
    return {"auc": float(roc_auc_score(labels, scores)),
            "ap": float(average_precision_score(labels, scores))}


def main():
    config = Config()
    prepare(config)
    graph = make_graph(make_recipes(config.recipes, config.seed), config.seed)
    graph = NormalizeFeatures()(graph)
    split = RandomLinkSplit(num_val=0.1, num_test=0.1, is_undirected=True,
                            add_negative_train_samples=False)
    train, val, test = split(graph)
    model = AffinityNet(graph.num_features)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)

    started, best, kept = time.perf_counter(), -1.0, None
    for epoch in range(1, config.epochs + 1):
        loss = train_epoch(model, train, optimizer)
        if epoch % config.log_every == 0:
            scores = evaluate(model, val)
            print(f"epoch {epoch:3d}  loss {loss:.6f}  auc {scores['auc']:.5f}  "
                  f"ap {scores['ap']:.5f}  ({time.perf_counter() - started:.1f} s)")
            if scores["auc"] > best:
                best = scores["auc"]
                kept = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(kept)
    result = evaluate(model, test)
    print(f"{date.today()}: test auc {result['auc']:.6f}, ap {result['ap']:.6f}")
    torch.save(model.state_dict(), "weights.pt")
    Path("result.json").write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
