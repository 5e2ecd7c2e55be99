"""Which airports will share a route code? Link prediction with GraphSAGE."""
import time
from pathlib import Path

import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn
from torch_geometric.utils import negative_sampling

from airports import load_split
from model import RouteModel
from runs import new_run, save, seed_all

HERE = Path(__file__).resolve().parent
SEED = 17
EPOCHS = 160


def train_epoch(model, opt, data):
    model.train()
    opt.zero_grad()
    z = model.encode(data.x, data.edge_index)
    pos = data.edge_label_index
    neg = negative_sampling(data.edge_index, num_nodes=data.num_nodes,
                            num_neg_samples=pos.size(1))
    out = model.decode(z, torch.cat([pos, neg], dim=1))
    target = torch.cat([torch.ones(pos.size(1)), torch.zeros(neg.size(1))])
    loss = nn.functional.binary_cross_entropy_with_logits(out, target)
    loss.backward()
    opt.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    z = model.encode(data.x, data.edge_index)
    score = model.decode(z, data.edge_label_index).sigmoid().numpy()
    truth = data.edge_label.numpy()
    return roc_auc_score(truth, score), average_precision_score(truth, score)


def main():
    began = time.perf_counter()
    torch.set_num_threads(1)
    seed_all(SEED)
    folder = new_run(HERE / "out")
    print(f"run {folder.name}")

    train, val, test = load_split()
    print(f"{train.num_nodes} airports, {train.edge_label_index.size(1)} routes to train on")
    model = RouteModel(train.num_features)
    opt = torch.optim.Adam(model.parameters(), lr=0.008)
    best, kept = 0.0, None
    for epoch in range(1, EPOCHS + 1):
        loss = train_epoch(model, opt, train)
        if epoch % 20 == 0:
            auc, _ = evaluate(model, val)
            print(f"[{time.perf_counter() - began:5.1f}s] epoch {epoch:3d} "
                  f"loss {loss:.4f} val auc {auc:.4f}", flush=True)
            if auc > best:
                best = auc
                kept = {k: v.clone() for k, v in model.state_dict().items()}

    model.load_state_dict(kept)
    auc, ap = evaluate(model, test)
    save(folder, model, {"val_auc": best, "test_auc": auc, "test_ap": ap})
    print(f"test auc {auc:.4f} ap {ap:.4f}, {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
