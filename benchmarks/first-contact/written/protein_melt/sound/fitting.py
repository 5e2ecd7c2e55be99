"""Melting curves by gradient descent: many curves are fitted in one batch.

Raw parameters: Tm in units of 10 C around 50 C, slope before softplus, plateau before the sigmoid.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F

from assay import TEMPERATURES

GRID = torch.tensor((TEMPERATURES - 50.0) / 10.0, dtype=torch.float32)
START = torch.tensor([0.0, 5.0, -1.0])


def curve(params, grid=GRID):
    tm = params[:, 0:1]
    slope = F.softplus(params[:, 1:2])
    plateau = 0.35 * torch.sigmoid(params[:, 2:3])
    return plateau + (1.0 - plateau) * torch.sigmoid(-slope * (grid - tm))


def fit_curves(y, start, steps, lr=0.08, tolerance=1e-3, check_every=10):
    params = start.clone().requires_grad_(True)
    optimiser = torch.optim.Adam([params], lr=lr)
    previous = math.inf
    for used in range(1, steps + 1):
        optimiser.zero_grad()
        loss = (curve(params) - y).square().mean(dim=1).sum()
        loss.backward()
        optimiser.step()
        if used % check_every == 0:
            current = loss.item()
            if previous - current < tolerance * current:
                break
            previous = current
    return params.detach(), used


def fit_reference(proteins):
    """One curve through the median of all vehicle channels: where every other fit starts."""
    pooled = np.median(np.concatenate([p.vehicle for p in proteins]), axis=0)
    y = torch.tensor(pooled[None, :], dtype=torch.float32)
    params, _ = fit_curves(y, START[None, :], steps=200, tolerance=1e-5)
    loss = (curve(params) - y).square().mean().item()
    return params[0], loss


def melting_points(params):
    return params[:, 0].double() * 10.0 + 50.0
