import numpy as np
import torch
from sklearn.metrics import log_loss, roc_auc_score


@torch.no_grad()
def audit(net, x, y):
    net.eval()
    p = torch.sigmoid(net(x).squeeze(1)).numpy()
    t = y.numpy()
    boots = np.random.default_rng(11)
    aucs = []
    for _ in range(60):
        take = boots.integers(0, len(t), len(t))
        if t[take].min() != t[take].max():
            aucs.append(roc_auc_score(t[take], p[take]))
    low, high = np.percentile(aucs, [5, 95])
    return {"auc": roc_auc_score(t, p), "auc_low": low, "auc_high": high,
            "log_loss": log_loss(t, p.astype(float)), "mean_score": float(p.mean())}


def write_report(path, ledger_items, metrics):
    lines = ["Redemption model, branches 7 to 9", ""]
    lines += [f"{name:<12}{value:.6f}" for name, value in metrics.items()]
    lines += ["", "Tickets in the ledger"] + [f"  {k:<10}{v}" for k, v in ledger_items.items()]
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
