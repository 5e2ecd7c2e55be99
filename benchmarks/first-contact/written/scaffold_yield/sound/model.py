import copy
import time

import torch
from torch import nn


class YieldNet(nn.Module):
    def __init__(self, width, hidden=96):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return torch.sigmoid(self.body(x)).squeeze(-1)


@torch.no_grad()
def predict(net, x):
    net.eval()
    return net(x)


def fit(net, train, valid, epochs, log, batch=32):
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    best = {"rmse": float("inf"), "epoch": -1}
    keep = None
    for epoch in range(epochs):
        net.train()
        tick = time.perf_counter()
        for idx in torch.randperm(len(train[1])).split(batch):
            loss = nn.functional.mse_loss(net(train[0][idx]), train[1][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        rmse = (predict(net, valid[0]) - valid[1]).square().mean().sqrt().item()
        log.info("epoch %d %.2f s", epoch, time.perf_counter() - tick)
        print(f"epoch {epoch:2d}  loss {loss.item():.4f}  valid {rmse:.4f}")
        if rmse < best["rmse"]:
            best = {"rmse": rmse, "epoch": epoch}
            keep = copy.deepcopy(net.state_dict())
    net.load_state_dict(keep)
    return best
