import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from curves import SHOWERS


def build_model():
    return nn.Sequential(
        nn.Conv1d(1, 12, kernel_size=5, padding=2),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Conv1d(12, 24, kernel_size=5, padding=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(6),
        nn.Flatten(),
        nn.Linear(24 * 6, len(SHOWERS)),
    )


def flatten(model):
    return parameters_to_vector(model.parameters()).detach().clone()


def restore(model, vector):
    vector_to_parameters(vector.clone(), model.parameters())


@torch.no_grad()
def evaluate(model, curves, labels):
    model.eval()
    logits = model(curves)
    loss = nn.functional.cross_entropy(logits, labels).item()
    return loss, (logits.argmax(1) == labels).float().mean().item()
