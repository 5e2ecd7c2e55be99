"""Shares of the checkpoints in the final mean, from their errors when sensors are off by as much as they may be."""
import numpy as np
import torch
from scipy.stats import qmc

TOLERANCE = 0.25


def offsets(sampler, n):
    """Sensor errors that fill the box of tolerances evenly, in standard deviations."""
    box = qmc.scale(sampler.random(n), [-TOLERANCE] * sampler.d, [TOLERANCE] * sampler.d)
    return torch.tensor(box, dtype=torch.float32)


@torch.no_grad()
def shares_of(net, states, x, y, draws=40, sharpness=25.0):
    shifts = offsets(qmc.LatinHypercube(x.shape[1]), draws)
    worst = []
    for state in states:
        net.load_state_dict(state)
        mae = torch.stack([(net(x + d) - y).abs().mean() for d in shifts])
        worst.append(mae.quantile(0.9).item())
    worst = np.array(worst)
    share = np.exp(-sharpness * (worst - worst.min()))
    return share / share.sum()


@torch.no_grad()
def soup(states, shares):
    return {k: sum(float(w) * s[k] for w, s in zip(shares, states)) for k in states[0]}
