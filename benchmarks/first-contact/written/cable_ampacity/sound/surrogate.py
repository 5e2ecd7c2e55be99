import torch
from torch import nn


class Surrogate(nn.Module):
    def __init__(self, inputs=6, width=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                  nn.Linear(width, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def fit(model, x, y, epochs, batch, lr):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    history = []
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        total = 0.0
        for start in range(0, len(x), batch):
            pick = order[start:start + batch]
            loss = nn.functional.smooth_l1_loss(model(x[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(pick)
        history.append(total / len(x))
    return history
