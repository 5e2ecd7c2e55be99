# Surrogate for the security hall: simulate a set of staffing plans, learn mean and tail waiting times.
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import numpy as np
import torch
from scipy.stats import qmc, spearmanr
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

PLANS = 128
PASSENGERS = 6000
REPLICATES = 4
BOUNDS = np.array([
    # lanes, peak arrivals per minute, mean service seconds, share of families
    [2.0, 6.0],
    [4.0, 14.0],
    [12.0, 24.0],
    [0.05, 0.4],
])
rng = np.random.default_rng(90210)
torch.set_num_threads(1)
torch.manual_seed(90210)


def arrivals(peak, gen):
    """Minutes of arrival over a morning with one rush, by inverting the cumulative rate."""
    grid = np.linspace(0, 600, 1201)
    rate = peak * (0.35 + 0.65 * np.exp(-(((grid - 240) / 90) ** 2)))
    cumulative = np.cumsum(rate) / rate.sum()
    return np.interp(np.sort(gen.random(PASSENGERS)), cumulative, grid)


def lindley(times, service):
    """Waits at one lane: w[n+1] = max(0, w[n] + s[n] - gap), written with running minima."""
    steps = service[:-1] - np.diff(times)
    walk = np.concatenate([[0.0], np.cumsum(steps)])
    return walk - np.minimum.accumulate(walk)


def simulate(plan, gen):
    lanes, peak, seconds, families = plan
    waits = []
    for _ in range(REPLICATES):
        times = arrivals(peak, gen)
        slow = gen.random(PASSENGERS) < families
        load = peak / 14 * 8
        service = gen.gamma(4.0, seconds / 4, PASSENGERS) / 60 * np.where(slow, 1.8, 1.0) * load / 10
        lane = gen.integers(int(lanes), size=PASSENGERS)
        for number in range(int(lanes)):
            mine = lane == number
            waits.append(lindley(times[mine], service[mine]))
    waits = np.concatenate(waits)
    return waits.mean(), np.quantile(waits, 0.95)


def simulate_all(plans):
    with ThreadPoolExecutor(max_workers=4) as pool:
        outcomes = list(pool.map(simulate, plans, repeat(rng)))
    return np.log1p(np.array(outcomes))


plans = qmc.scale(qmc.Sobol(d=4, scramble=False).random(PLANS), BOUNDS[:, 0], BOUNDS[:, 1])
outcomes = simulate_all(plans)
print(f"{len(plans)} plans simulated, log waits {outcomes[:, 0].mean():.6f} / {outcomes[:, 1].mean():.6f}")

train_x, test_x, train_y, test_y = train_test_split(plans, outcomes, test_size=0.25, random_state=1)
scale_x, scale_y = StandardScaler().fit(train_x), StandardScaler().fit(train_y)
x = torch.tensor(scale_x.transform(train_x), dtype=torch.float32)
y = torch.tensor(scale_y.transform(train_y), dtype=torch.float32)


def make_net():
    return torch.nn.Sequential(
        torch.nn.Linear(4, 48), torch.nn.Tanh(), torch.nn.Linear(48, 48), torch.nn.Tanh(), torch.nn.Linear(48, 2)
    )


ensemble = [make_net() for _ in range(3)]
for member, net in enumerate(ensemble):
    optimizer = torch.optim.NAdam(net.parameters(), lr=4e-3)
    for step in range(350):
        rows = torch.randint(len(x), (64,))
        loss = torch.nn.functional.mse_loss(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"member {member}: fit {torch.nn.functional.mse_loss(net(x), y):.6f}")

with torch.no_grad():
    query = torch.tensor(scale_x.transform(test_x), dtype=torch.float32)
    guesses = torch.stack([net(query) for net in ensemble])
mean = scale_y.inverse_transform(guesses.mean(0).numpy())
spread = guesses.std(0).mean().item()

report = {}
for column, name in enumerate(["mean wait", "95th percentile"]):
    error = np.expm1(mean[:, column]) - np.expm1(test_y[:, column])
    rank = spearmanr(mean[:, column], test_y[:, column]).statistic
    report[name] = {"rmse_minutes": float(np.sqrt(np.mean(error**2))), "rank": float(rank)}
    print(f"{name:16s} RMSE {report[name]['rmse_minutes']:.5f} min, rank correlation {rank:.5f}")
report["disagreement"] = spread
print(f"ensemble disagreement {spread:.6f}")

with open("surrogate.json", "w") as handle:
    json.dump(report, handle, indent=2)
torch.save([net.state_dict() for net in ensemble], "surrogate.pt")
