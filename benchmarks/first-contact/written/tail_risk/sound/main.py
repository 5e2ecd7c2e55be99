# Tail risk of a small book: learn the 1-day 95 % / 99 % loss quantiles given the state of the market.
from datetime import datetime

import numpy as np
import pandas as pd
import torch
from scipy import stats
from torch import nn

print("started", datetime.now().strftime("%Y-%m-%d %H:%M"))

SEED = 99
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

assets = ["equity_eu", "equity_us", "credit", "rates", "gold", "fx_usdjpy"]
weights = np.array([0.25, 0.3, 0.15, 0.15, 0.1, 0.05])
vols = np.array([0.011, 0.012, 0.004, 0.003, 0.009, 0.006])
corr = np.eye(6)
for i, j, c in [(0, 1, 0.7), (0, 2, 0.4), (1, 2, 0.35), (0, 3, -0.3), (1, 3, -0.25), (3, 4, 0.2), (1, 5, 0.3)]:
    corr[i, j] = corr[j, i] = c
cov = corr * np.outer(vols, vols)

# %% returns: fat-tailed, with volatility regimes and now and then a jump in equities
n_days = 5000
regime = np.zeros(n_days)
for t in range(1, n_days):
    regime[t] = 0.97 * regime[t - 1] + rng.normal(0, 0.12)
core = stats.multivariate_t.rvs(loc=np.zeros(6), shape=cov, df=5, size=n_days, random_state=rng)
returns = core * np.exp(regime)[:, None]
jump_days = stats.bernoulli.rvs(0.01, size=n_days, random_state=rng).astype(bool)
jump_size = stats.gamma.rvs(2.0, scale=0.012, size=jump_days.sum(), random_state=rng)
returns[jump_days, 0] -= jump_size
returns[jump_days, 1] -= 0.9 * jump_size

frame = pd.DataFrame(returns, columns=assets, index=pd.bdate_range("2004-01-01", periods=n_days))
loss = pd.Series(-(frame.to_numpy() @ weights) * 100, index=frame.index)
feats = pd.DataFrame({
    "loss_1": loss.shift(1),
    "vol_5": loss.rolling(5).std().shift(1),
    "vol_22": loss.rolling(22).std().shift(1),
    "worst_22": loss.rolling(22).max().shift(1),
    "gold_5": frame["gold"].rolling(5).sum().shift(1) * 100,
}).dropna()
loss = loss[feats.index]
split = feats.index < "2019-01-01"
mu, sd = feats[split].mean(), feats[split].std()
X = torch.tensor(((feats - mu) / sd).to_numpy(), dtype=torch.float32)
Y = torch.tensor(loss.to_numpy(), dtype=torch.float32)
split = torch.tensor(split)
Xtr, Ytr, Xte, Yte = X[split], Y[split], X[~split], Y[~split]
print(len(Xtr), "days to fit,", len(Xte), "to test, columns:", ", ".join(feats.columns))

# %% quantile net; the second output is added to the first so that they do not cross
levels = torch.tensor([0.95, 0.99])
net = nn.Sequential(nn.Linear(X.shape[1], 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 2))


def quantiles(x):
    out = nn.functional.softplus(net(x))
    return torch.cumsum(out, dim=1)


def pinball(q, y):
    d = y[:, None] - q
    return torch.maximum(levels * d, (levels - 1) * d).mean()


opt = torch.optim.Adam(net.parameters(), lr=3e-3)
history = torch.empty(8)
for epoch in range(len(history)):
    total = 0.0
    for idx in torch.randperm(len(Xtr)).split(64):
        obj = pinball(quantiles(Xtr[idx]), Ytr[idx])
        opt.zero_grad()
        obj.backward()
        opt.step()
        total += obj.item() * len(idx)
    history[epoch] = total / len(Xtr)
    print(f"epoch {epoch}  pinball {history[epoch]:.5f}")

# %% backtest
with torch.no_grad():
    q = quantiles(Xte)
hits = (Yte[:, None] > q).sum(0)
for level, h, mean in zip(levels.tolist(), hits.tolist(), q.mean(0).tolist()):
    p = stats.binomtest(h, len(Yte), 1 - level).pvalue
    print(f"VaR {level:.2f}: mean {mean:.4f} %, exceeded on {h} of {len(Yte)} days, p = {p:.3f}")
print(f"test pinball {pinball(q, Yte).item():.6f}")

torch.save({"net": net.state_dict(), "history": history}, "quantile_net.pt")
print("done", datetime.now().strftime("%H:%M:%S"))
