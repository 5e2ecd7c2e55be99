# M12 joints: what clamp force do we get from torque + angle + temperature?
# Monte Carlo of the joint, then a small net with a predicted spread.
# %%
import json
import time
from datetime import datetime

import numpy as np
import pandas as pd
import torch
from scipy import stats
from torch import nn

SEED = 20
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)
print("started", datetime.now().strftime("%d.%m. %H:%M"))

# %% geometry, in mm
d, pitch, d2 = 12.0, 1.75, 10.863
dw, dh = 16.6, 13.5
dkm = (dw + dh) / 2
stiffness_bolt, stiffness_parts = 410.0, 1650.0  # kN/mm

# %% draw the joints
n = 3000
a, b = -2.5, 2.5
mu_thread = stats.truncnorm.rvs(a, b, loc=0.13, scale=0.018, size=n, random_state=rng)
mu_head = stats.truncnorm.rvs(a, b, loc=0.11, scale=0.015, size=n, random_state=rng)
torque = rng.uniform(55, 110, n)
temp = rng.normal(22, 6, n)
oiled = rng.random(n) < 0.3
settle_um = stats.weibull_min.rvs(1.8, scale=6.0, size=n, random_state=rng)

mu_thread = np.where(oiled, 0.8 * mu_thread, mu_thread) * (1 - 0.002 * (temp - 22))
mu_head = np.where(oiled, 0.85 * mu_head, mu_head)

# %% clamp force (VDI 2230), in kN
lever = 0.16 * pitch + 0.58 * d2 * mu_thread + 0.5 * dkm * mu_head
force = torque / lever
loss_by_settling = settle_um * 1e-3 * stiffness_bolt * stiffness_parts / (stiffness_bolt + stiffness_parts)
clamp = force - loss_by_settling
angle = force * (1 / stiffness_bolt + 1 / stiffness_parts) / pitch * 360 + rng.normal(0, 2.0, n)

df = pd.DataFrame(dict(torque=torque, angle=angle, temp=temp, oiled=oiled.astype(float), clamp=clamp))
print(df.describe().loc[["mean", "std"]].round(2).to_string())

# %% split, scale
order = rng.permutation(n)
test_idx, train_idx = order[:600], order[600:]
cols = ["torque", "angle", "temp", "oiled"]
mean, std = df.loc[train_idx, cols].mean(), df.loc[train_idx, cols].std()
X = torch.tensor(((df[cols] - mean) / std).to_numpy(), dtype=torch.float32)
y_mean, y_std = df["clamp"][train_idx].mean(), df["clamp"][train_idx].std()
y = torch.tensor(((df["clamp"] - y_mean) / y_std).to_numpy(), dtype=torch.float32)
train_idx, test_idx = torch.from_numpy(train_idx), torch.from_numpy(test_idx)

# %%
net = nn.Sequential(nn.Linear(4, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
nll = nn.GaussianNLLLoss()

tic = time.perf_counter()
for epoch in range(20):
    perm = train_idx[torch.randperm(len(train_idx))]
    tot = 0.0
    for idx in perm.split(96):
        out = net(X[idx])
        loss = nll(out[:, 0], y[idx], out[:, 1].clamp(-6, 4).exp())
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    sched.step()
    if epoch % 5 == 4:
        print(f"{epoch + 1:3d}  nll {tot / len(train_idx):+.4f}")
print(f"trained in {time.perf_counter() - tic:.1f} s")

# %% how good, and is the spread honest?
with torch.no_grad():
    out = net(X[test_idx])
err = (out[:, 0] - y[test_idx]).numpy() * y_std
sigma = out[:, 1].clamp(-6, 4).mul(0.5).exp().numpy() * y_std
result = {
    "rmse_kN": float(np.sqrt((err ** 2).mean())),
    "covered_95": float((np.abs(err) < 1.96 * sigma).mean()),
    "mean_sigma_kN": float(sigma.mean()),
}
print(result)
with open("result.json", "w") as f:
    json.dump(result, f, indent=1)
torch.save(net.state_dict(), "preload_net.pt")
