# %% [markdown]
# # Weekly run of fish from an hourly ladder counter that is often off

# %%
import csv
import os
import time

import numpy as np
import torch
import torch.nn as nn

from ladders import ladder_week
from rates import channels, interval

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
os.makedirs(RESULTS, exist_ok=True)
torch.set_num_threads(1)
torch.manual_seed(4)
t0 = time.time()

# %% the weeks
rng = np.random.default_rng(12)
weeks, runs = [], []
for number in range(700):
    fish, minutes, warm, flow, run = ladder_week(rng)
    if number % 100 == 0:
        low, high = interval(fish)
        print(f"week {number}: {fish.mean():.2f} fish an hour ({low:.2f} to {high:.2f}), {time.time() - t0:.2f} s")
    weeks.append(channels(fish, minutes, warm, flow))
    runs.append(run)
X = torch.from_numpy(np.stack(weeks))
Y = torch.tensor(runs)
Y = (Y - Y.mean()) / Y.std()
train, test = slice(0, 560), slice(560, None)
print(X.shape, f"{time.time() - t0:.1f} s")

# %% the model
model = nn.Sequential(
    nn.Conv1d(4, 24, 7, padding=3), nn.ReLU(), nn.MaxPool1d(4),
    nn.Conv1d(24, 32, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
    nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, 1), nn.Flatten(0),
)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)

# %% training
rows = []
for epoch in range(14):
    model.train()
    losses = []
    for pick in torch.randperm(560).split(40):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(X[train][pick]), Y[train][pick])
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        error = nn.functional.l1_loss(model(X[test]), Y[test]).item()
    rows.append([epoch, np.mean(losses), error])
    print(f"epoch {epoch:2d}: loss {rows[-1][1]:.4f}, test error {error:.4f}, {time.time() - t0:.1f} s")

# %% saving
torch.save(model.state_dict(), os.path.join(RESULTS, "ladder_net.pt"))
with open(os.path.join(RESULTS, "curve.csv"), "w", newline="") as f:
    csv.writer(f).writerows([["epoch", "loss", "error"], *rows])
