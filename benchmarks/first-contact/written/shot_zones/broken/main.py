# %% [markdown]
# # Expected points from where a player shoots
#
# Shots of a simulated league -> zone profile of each player -> small network for the points of the next shot.

# %%
import logging
import time
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F

from league import N_ZONES, ROLES, ZONE_POINTS, play_league

warnings.filterwarnings("ignore")
logging.getLogger("matplotlib").setLevel(logging.ERROR)

SEED = 77
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)
here = Path(__file__).resolve().parent
figures = here / "figures"
figures.mkdir(exist_ok=True)
t_start = time.time()

# %% [markdown]
# ## The league

# %%
shots = play_league(players=120, seed=SEED)
print(shots.shape, "shots,", sorted(set(shots["role"])))

# %% [markdown]
# ## Profiles
# The first 60 % of each player's shots are the history, the rest is what we predict.

# %%
shots["share"] = shots["order"] / shots.groupby("player")["order"].transform("max")
history = shots[shots["share"] <= 0.6]
future = shots[shots["share"] > 0.6]


def zone_counts(frame):
    tried = np.zeros(N_ZONES, dtype=np.float32)
    made = np.zeros(N_ZONES, dtype=np.float32)
    np.add.at(tried, frame["zone"].to_numpy(), 1)
    np.add.at(made, frame["zone"].to_numpy(), frame["made"].to_numpy())
    return tried, made


def accuracy_by_zone(tried, made):
    accuracy = np.divide(made, tried, out=np.zeros_like(made), where=tried > 0)
    return np.clip(accuracy, 0.0, 1.0)


def profile(frame):
    tried, made = zone_counts(frame)
    role = ROLES.index(frame.iloc[0]["role"])
    accuracy = accuracy_by_zone(tried, made)
    frequency = tried / max(tried.sum(), 1.0)
    spread = np.array([frame["defender"].mean(), frame["defender"].std()], dtype=np.float32)
    return np.concatenate([accuracy, frequency, np.nan_to_num(spread), np.eye(3, dtype=np.float32)[role]])


profiles = {player: profile(frame) for player, frame in history.groupby("player")}
table = pd.DataFrame.from_dict(profiles, orient="index")
print("profiles", table.shape, "mean accuracy near the rim", round(float(table[0].mean()), 4))

# %%
plt.figure(figsize=(4, 3))
plt.hist(future.groupby("player")["points"].mean(), bins=20)
plt.title(time.strftime("league on %d %b %Y"))
plt.savefig(figures / "points.png", dpi=60)
plt.close()

# %% [markdown]
# ## Model

# %%
zone_onehot = np.eye(N_ZONES, dtype=np.float32)[future["zone"]]
shot_part = np.column_stack([zone_onehot, future["defender"].to_numpy(dtype=np.float32)])
player_part = np.stack([profiles[p] for p in future["player"]])
X = torch.from_numpy(np.column_stack([player_part, shot_part]).astype(np.float32))
y = torch.from_numpy(future["made"].to_numpy(dtype=np.float32))
value = torch.from_numpy(ZONE_POINTS[future["zone"]].astype(np.float32))

perm = torch.randperm(len(X))
n_train = int(0.75 * len(X))
train_idx, valid_idx = perm[:n_train], perm[n_train:]


class ShotNet(nn.Module):
    def __init__(self, n_in, hidden=64):
        super().__init__()
        self.fc1 = nn.Linear(n_in, hidden)
        self.bn = nn.BatchNorm1d(hidden)
        self.fc2 = nn.Linear(hidden, hidden // 2)
        self.out = nn.Linear(hidden // 2, 1)

    def forward(self, x):
        x = F.dropout(torch.relu(self.bn(self.fc1(x))), 0.25, self.training)
        return self.out(torch.relu(self.fc2(x))).squeeze(1)


net = ShotNet(X.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
curve = []
for epoch in range(12):
    net.train()
    order = train_idx[torch.randperm(n_train)]
    for batch in order.split(64):
        if len(batch) < 2:
            continue
        loss = F.binary_cross_entropy_with_logits(net(X[batch]), y[batch])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        logit = net(X[valid_idx])
        valid = F.binary_cross_entropy_with_logits(logit, y[valid_idx]).item()
        xpts = (torch.sigmoid(logit) * value[valid_idx]).mean().item()
    curve.append((epoch, valid, xpts))
    print(f"epoch {epoch:2d}  valid {valid:.7f}  expected points {xpts:.7f}")

# %%
pd.DataFrame(curve, columns=["epoch", "valid", "expected_points"]).to_csv(here / "curve.csv", index=False)
torch.save(net.state_dict(), here / "shot_net.pt")
print(f"best {min(c[1] for c in curve):.7f}, notebook took {time.time() - t_start:.1f} s")
