"""Weights of the members, the combined prediction, and what a member costs."""

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Member:
    name: str
    net: nn.Module
    val_nll: float
    multiply_adds: int
    latency: dict
    seconds: float


def count_multiply_adds(net, probe):
    """Multiply-adds of the convolutions and linear layers for one joint."""
    total = 0

    def count(module, inputs, output):
        nonlocal total
        if isinstance(module, nn.Conv2d):
            per_output = module.in_channels // module.groups * module.weight[0, 0].numel()
        else:
            per_output = module.in_features
        total += output.numel() * per_output

    hooks = [module.register_forward_hook(count) for module in net.modules()
             if isinstance(module, (nn.Conv2d, nn.Linear))]
    with torch.no_grad():
        net(probe)
    for hook in hooks:
        hook.remove()
    return total


def benchmark(net, probe, warmup=10, repeats=60):
    net.eval()
    samples = []
    with torch.no_grad():
        for _ in range(warmup):
            net(probe)
        for _ in range(repeats):
            begin = time.perf_counter()
            net(probe)
            samples.append((time.perf_counter() - begin) * 1e3)
    return {"p50_ms": float(np.percentile(samples, 50)),
            "p95_ms": float(np.percentile(samples, 95))}


def weigh_members(members, temperature, penalty):
    """Softmax of the validation loss, less a penalty for members that use up the cycle time."""
    nll = np.array([member.val_nll for member in members])
    cost = np.array([member.latency["p50_ms"] for member in members])
    logits = -nll / temperature - penalty * cost / cost.max()
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def combine(predictions, weights):
    return sum(weight * predicted for weight, predicted in zip(weights, predictions))


def reject_threshold(probabilities, labels, max_escape):
    bad = np.sort(probabilities[labels != 0, 0])
    allowed = int(np.floor(max_escape * len(bad)))
    return float(bad[len(bad) - 1 - allowed])
