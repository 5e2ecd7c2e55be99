"""Predict unobserved feeding links in a food web with a two-layer graph encoder."""
import json
import logging
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score
from torch_geometric.transforms import RandomLinkSplit
from torch_geometric.utils import dropout_edge, negative_sampling
from tqdm import tqdm

from foodweb import make_web
from linkmodel import LinkModel

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s")
log = logging.getLogger(__name__)


@dataclass
class Settings:
    seed: int = 7
    species: int = 300
    hidden: int = 64
    out: int = 32
    epochs: int = 120
    lr: float = 5e-3
    edge_dropout: float = 0.15
    negatives_per_link: float = 1.0
    patience: int = 40


@torch.no_grad()
def evaluate(model, split):
    model.eval()
    z = model.encode(split.x, split.edge_index)
    scores = model.decode(z, split.edge_label_index).sigmoid().numpy()
    truth = split.edge_label.numpy()
    return roc_auc_score(truth, scores), average_precision_score(truth, scores)


def train_epoch(model, optimizer, data, settings):
    model.train()
    positive = data.edge_label_index
    negative = negative_sampling(
        data.edge_index,
        num_nodes=data.num_nodes,
        num_neg_samples=int(positive.size(1) * settings.negatives_per_link),
    )
    kept, _ = dropout_edge(data.edge_index, p=settings.edge_dropout)
    z = model.encode(data.x, kept)
    logits = model.decode(z, torch.cat([positive, negative], dim=1))
    target = torch.cat([torch.ones(positive.size(1)), torch.zeros(negative.size(1))])
    loss = F.binary_cross_entropy_with_logits(logits, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def main():
    settings = Settings()
    torch.set_num_threads(1)
    np.random.seed(settings.seed)
    torch.manual_seed(settings.seed)
    run = f"web-{secrets.token_hex(3)}"
    web = make_web(settings.species, settings.seed)
    log.info("%s: %d species, %d links", run, web.num_nodes, web.num_edges)

    split = RandomLinkSplit(num_val=0.1, num_test=0.2, add_negative_train_samples=False)
    train, val, test = split(web)
    model = LinkModel(web.num_features, settings.hidden, settings.out)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr, weight_decay=1e-4)

    best, best_epoch, best_state = -1.0, 0, None
    started = time.perf_counter()
    bar = tqdm(range(1, settings.epochs + 1), desc=run, mininterval=0.5)
    for epoch in bar:
        loss = train_epoch(model, optimizer, train, settings)
        auc, _ = evaluate(model, val)
        if auc > best:
            best, best_epoch = auc, epoch
            best_state = {name: value.clone() for name, value in model.state_dict().items()}
        bar.set_postfix(loss=f"{loss:.4f}", val_auc=f"{auc:.4f}")
        if epoch - best_epoch >= settings.patience:
            log.info("no better for %d epochs, stopping at %d", settings.patience, epoch)
            break
    log.info("trained for %.1fs", time.perf_counter() - started)

    model.load_state_dict(best_state)
    auc, precision = evaluate(model, test)
    folder = Path("results") / run
    folder.mkdir(parents=True)
    torch.save(model.state_dict(), folder / "link_model.pt")
    summary = {"best_epoch": best_epoch, "val_auc": best, "test_auc": auc, "test_ap": precision}
    (folder / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"epoch {best_epoch}: val AUC {best:.4f}, test AUC {auc:.4f}, AP {precision:.4f}")


if __name__ == "__main__":
    main()
