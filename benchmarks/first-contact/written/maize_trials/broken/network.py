"""One member of the ensemble: a small network with early stopping on its fold."""

import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class FoldModel:
    net: nn.Module
    centre: float
    scale: float
    best_epoch: int
    best_loss: float


def build(features, hidden=40):
    return nn.Sequential(
        nn.Linear(features, hidden), nn.ReLU(), nn.Dropout(0.25),
        nn.Linear(hidden, hidden // 2), nn.ReLU(),
        nn.Linear(hidden // 2, 1),
    )


def train_fold(x, y, x_outside, y_outside, epochs, patience, seed, batch=64, lr=3e-3):
    torch.manual_seed(seed)
    shuffler = torch.Generator().manual_seed(seed)
    centre, scale = float(y.mean()), float(y.std())
    inputs = torch.tensor(x, dtype=torch.float32)
    targets = torch.tensor((y - centre) / scale, dtype=torch.float32)
    held_inputs = torch.tensor(x_outside, dtype=torch.float32)
    held_targets = torch.tensor((y_outside - centre) / scale, dtype=torch.float32)

    net = build(inputs.shape[1])
    optimiser = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=epochs)
    best_epoch, best_loss, best_state = -1, float("inf"), None
    for epoch in range(epochs):
        net.train()
        for picked in torch.randperm(len(targets), generator=shuffler).split(batch):
            optimiser.zero_grad()
            loss = F.smooth_l1_loss(net(inputs[picked]).squeeze(1), targets[picked])
            loss.backward()
            optimiser.step()
        schedule.step()
        net.eval()
        with torch.no_grad():
            held = F.mse_loss(net(held_inputs).squeeze(1), held_targets).item()
        if held < best_loss:
            best_epoch, best_loss = epoch, held
            best_state = copy.deepcopy(net.state_dict())
        elif epoch - best_epoch >= patience:
            break
    net.load_state_dict(best_state)
    return FoldModel(net.eval(), centre, scale, best_epoch, best_loss)


def predict(member, x):
    with torch.no_grad():
        z = member.net(torch.tensor(x, dtype=torch.float32)).squeeze(1)
    return z.numpy().astype(np.float64) * member.scale + member.centre
