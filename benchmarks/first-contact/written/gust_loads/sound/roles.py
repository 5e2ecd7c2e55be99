"""Rank 0 keeps the weights; the other ranks simulate gusts and send gradients."""
import numpy as np
import torch
import torch.distributed as dist
from torch import nn

from model import build, flatten, unflatten
from wing import encounters


def serve(world, rounds, seed, lr=3e-3):
    model = build(seed)
    parameters = list(model.parameters())
    optimizer = torch.optim.Adam(parameters, lr=lr)
    buffer = torch.zeros(sum(p.numel() for p in parameters) + 1)
    losses = []
    workers = world - 1
    for update in range(rounds * workers):
        source = dist.recv(buffer, src=1 + update % workers)
        losses.append(buffer[-1].item())
        for parameter, gradient in zip(parameters, unflatten(buffer, parameters)):
            parameter.grad = gradient.clone()
        optimizer.step()
        dist.send(flatten(parameters), dst=source)
    return model, losses


def work(rank, rounds, seed, batch=48):
    model = build(seed)
    parameters = list(model.parameters())
    rng = np.random.default_rng([seed, rank])
    for _ in range(rounds):
        x, y = encounters(rng, batch)
        loss = nn.functional.mse_loss(model(torch.from_numpy(x)).squeeze(-1), torch.from_numpy(y))
        model.zero_grad()
        loss.backward()
        dist.send(torch.cat([flatten(p.grad for p in parameters), loss.detach().reshape(1)]), dst=0)
        fresh = torch.zeros(sum(p.numel() for p in parameters))
        dist.recv(fresh, src=0)
        with torch.no_grad():
            for parameter, value in zip(parameters, unflatten(fresh, parameters)):
                parameter.copy_(value)
