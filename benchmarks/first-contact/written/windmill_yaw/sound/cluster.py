"""The central server and the sites that train on their own logs."""

import time

import torch
import torch.distributed as dist
from torch import nn

from model import build_model, get_weights, set_weights
from turbines import sensor_log

SERVER = 0
MIXING = 0.4
LOCAL_STEPS = 6
BATCH = 64


def run_site(rank, rounds):
    """Train locally, push the weights, go on from what the server sends back."""
    features, power = sensor_log(rank, 1200)
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.8)
    generator = torch.Generator().manual_seed(100 + rank)
    weights = get_weights(model)
    for _ in range(rounds):
        for _ in range(LOCAL_STEPS):
            rows = torch.randint(len(features), (BATCH,), generator=generator)
            loss = nn.functional.mse_loss(model(features[rows]), power[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        dist.send(get_weights(model), dst=SERVER)
        dist.recv(weights, src=SERVER)
        set_weights(model, weights)


def run_server(sites, rounds):
    """Mix the weights of each site into the central model."""
    model = build_model()
    features, power = sensor_log(0, 800, seed=7000)
    central = get_weights(model)
    pushed = torch.empty_like(central)
    history = []
    began = time.perf_counter()
    for number in range(rounds):
        for site in sites:
            dist.recv(pushed, src=site)
            central = (1 - MIXING) * central + MIXING * pushed
            dist.send(central, dst=site)
        set_weights(model, central)
        with torch.no_grad():
            error = nn.functional.mse_loss(model(features), power).item()
        history.append({"round": number, "mse": error})
        if number % 10 == 9:
            print(f"round {number + 1:3d}  mse {error:.6f}  ({time.perf_counter() - began:.2f} s)",
                  flush=True)
    return model, history
