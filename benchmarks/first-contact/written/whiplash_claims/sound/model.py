import copy
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("whiplash")


class TriageNet(nn.Module):
    def __init__(self, n_in: int, width: int = 64, dropout: float = 0.2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.body(x).squeeze(-1)


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    logits = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, y).item()
    return loss, torch.sigmoid(logits).numpy()


def fit(model, train, val, cfg):
    shuffle = torch.Generator().manual_seed(cfg.seed)
    loader = DataLoader(TensorDataset(*train), batch_size=cfg.batch_size, shuffle=True,
                        drop_last=True, generator=shuffle)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    best, best_state, stale = float("inf"), None, 0
    for epoch in range(cfg.epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            loss.backward()
            optimizer.step()
        val_loss, _ = evaluate(model, *val)
        log.info("epoch %2d  val loss %.4f", epoch, val_loss)
        if val_loss < best - 1e-4:
            best, best_state, stale = val_loss, copy.deepcopy(model.state_dict()), 0
        else:
            stale += 1
            if stale >= cfg.patience:
                log.info("no improvement in %d epochs, stopping", stale)
                break
    model.load_state_dict(best_state)
    return best
