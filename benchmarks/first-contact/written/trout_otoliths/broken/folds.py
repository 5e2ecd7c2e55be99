import time

import torch
import torch.nn.functional as F
from threadpoolctl import threadpool_limits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import OtolithFeatures


def build_network(inputs, width=64):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.GELU(), nn.Dropout(0.15),
        nn.Linear(width, width), nn.GELU(), nn.Dropout(0.15), nn.Linear(width, 1))


def rows(data, index):
    return {name: values[index] for name, values in data.items()}


def fit_fold(fold, data, train, test, seed, epochs=15):
    """Train on one split. Returns what is needed to compare and to reuse the fold."""
    torch.set_num_threads(1)
    torch.manual_seed(seed + fold)
    started = time.perf_counter()
    with threadpool_limits(1):
        features = OtolithFeatures(seed + fold).fit(rows(data, train))
        inputs = torch.from_numpy(features.transform(rows(data, train)))
        held_out = torch.from_numpy(features.transform(rows(data, test)))
    target = torch.from_numpy(data["age"][train])
    wanted = torch.from_numpy(data["age"][test])

    network = build_network(inputs.shape[1])
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-3)
    loader = DataLoader(TensorDataset(inputs, target), batch_size=32, shuffle=True)
    losses = []
    for _ in range(epochs):
        network.train()
        total = 0.0
        for x, y in loader:
            loss = F.huber_loss(network(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        losses.append(total / len(target))
    network.eval()
    with torch.no_grad():
        error = (network(held_out).squeeze(1) - wanted).abs().mean().item()
    return {"fold": fold, "losses": losses, "mae": error, "state": network.state_dict(),
            "seconds": time.perf_counter() - started}
