import torch
from torch import nn


class Vetter(nn.Module):
    """How likely a single detection is part of a tracklet."""

    def __init__(self, inputs):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1)
        )

    def forward(self, features):
        return self.layers(features).squeeze(-1)


def train_epoch(model, loader, optimizer, weight):
    total = 0.0
    for features, labels in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(
            model(features), labels, pos_weight=weight
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def purity(model, features, labels, share=0.2):
    top = model(features).topk(int(share * len(labels))).indices
    return labels[top].mean().item()
