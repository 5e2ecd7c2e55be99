"""Optimizer and schedule for the echogram models."""

import math

import torch
from torch import nn

NO_DECAY = (nn.LayerNorm, nn.Embedding)


def split_names(model):
    """Names of the parameters that get weight decay, and of those that do not."""
    decay, keep = set(), set()
    for prefix, module in model.named_modules():
        for name, _ in module.named_parameters(recurse=False):
            full = f"{prefix}.{name}" if prefix else name
            if name.endswith("bias") or isinstance(module, NO_DECAY):
                keep.add(full)
            else:
                decay.add(full)
    return decay, keep


def make_optimizer(model, lr, weight_decay):
    params = dict(model.named_parameters())
    decay, keep = split_names(model)
    missing = params.keys() - (decay | keep)
    if missing or decay & keep:
        raise ValueError(f"parameters in no group or in both: {missing or decay & keep}")

    def pick(names):
        return [params[name] for name in names]

    groups = [
        {"params": pick(decay), "weight_decay": weight_decay},
        {"params": pick(keep), "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.98))


def warmup_cosine(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


def clip(optimizer, limit):
    everything = [p for group in optimizer.param_groups for p in group["params"]]
    return float(torch.nn.utils.clip_grad_norm_(everything, limit))
