import logging
import time

import torch
from torch import nn

log = logging.getLogger("emulator.fit")


class Emulator(nn.Module):
    def __init__(self, inputs, outputs, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, outputs),
        )

    def forward(self, x):
        return self.net(x)


def fit(model, loader, epochs, lr):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, epochs=epochs, steps_per_epoch=len(loader))
    criterion = nn.SmoothL1Loss()
    started = time.monotonic()
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(x)
        if epoch % 10 == 0:
            log.info("epoch %3d loss %.5f (%.1fs)", epoch, total / len(loader.dataset), time.monotonic() - started)
    return total / len(loader.dataset)
