# %% [markdown]
# # Churn of customers: a small network on a table

# %%
import json
import time

import numpy as np
import pandas as pd
import torch
from torch import nn

SEED = 20
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

# %% a made table
N = 1600
df = pd.DataFrame(
    {
        "customer_id": np.arange(N),
        "months": rng.integers(1, 72, N),
        "monthly_fee": rng.normal(60, 20, N).round(2),
        "calls_to_support": rng.poisson(1.5, N),
        "data_gb": rng.gamma(2.0, 5.0, N),
        "plan": rng.choice(["basic", "plus", "family", "student"], N),
        "region": rng.choice(["north", "south", "east", "west"], N),
    }
)
score = 0.6 * df.calls_to_support - 0.05 * df.months + 0.02 * df.monthly_fee + (df.plan == "student") * 0.8
df["churned"] = (score + rng.normal(0, 0.7, N) > 0.6).astype(int)
print(df.churned.value_counts().to_dict())

# %% features: everything but the id and the target
plans = {p: i for i, p in enumerate(sorted(set(df.plan)))}
df["plan_code"] = df.plan.map(plans)
wide = pd.get_dummies(df.drop(columns="plan"), columns=["region"], dtype=float)
features = sorted(set(wide.columns) - {"customer_id", "churned"})
print(len(features), "features:", ", ".join(features))

X = torch.tensor(wide[features].to_numpy(dtype="float32"))
X = (X - X.mean(0)) / X.std(0)
y = torch.tensor(wide["churned"].to_numpy(dtype="float32"))

order = torch.randperm(N)
train, test = order[:1300], order[1300:]

# %% the model
net = nn.Sequential(nn.Linear(X.shape[1], 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
lossf = nn.BCEWithLogitsLoss(pos_weight=(y[train] == 0).sum() / (y[train] == 1).sum())

# %% training
history = []
tick = time.time()
for epoch in range(12):
    net.train()
    shuffled = train[torch.randperm(len(train))]
    for part in shuffled.split(64):
        opt.zero_grad()
        loss = lossf(net(X[part]).squeeze(1), y[part])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(X[test]).squeeze(1)
    history.append({"epoch": epoch, "loss": lossf(out, y[test]).item(),
                    "accuracy": ((out > 0) == (y[test] > 0.5)).float().mean().item()})
    if epoch % 3 == 2:
        print(history[-1])
print(f"took {time.time() - tick:.1f} seconds")

# %% which feature matters (change of the loss when it is set to its mean)
importance = {}
with torch.no_grad():
    for j, name in enumerate(features):
        Z = X[test].clone()
        Z[:, j] = 0
        importance[name] = lossf(net(Z).squeeze(1), y[test]).item() - history[-1]["loss"]
for name, v in sorted(importance.items(), key=lambda kv: -kv[1])[:4]:
    print(f"{name:20s} {v:+.4f}")
with open("history.json", "w") as f:
    json.dump({"history": history, "importance": importance}, f, indent=1)
torch.save(net.state_dict(), "churn.pt")
