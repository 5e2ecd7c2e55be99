import torch

from chunking import pieces


def probabilities(phi, x, w):
    out = torch.zeros(len(x))
    for rows in pieces(len(x), phi.bytes_per_row()):
        out[rows] = torch.sigmoid(phi(x[rows]) @ w)
    return out


def _pass(phi, x, y, w):
    """Objective, gradient and curvature over the whole table."""
    value = 0.0
    grad = torch.zeros(phi.width)
    hess = torch.zeros(phi.width, phi.width)
    for rows in pieces(len(x), phi.bytes_per_row()):
        f = phi(x[rows])
        z = f @ w
        p = torch.sigmoid(z)
        value += torch.nn.functional.binary_cross_entropy_with_logits(
            z, y[rows], reduction="sum").item()
        grad += f.T @ (p - y[rows])
        hess += (f * (p * (1 - p))[:, None]).T @ f
    return value, grad, hess


def fit(phi, x, y, ridge, steps):
    w = torch.zeros(phi.width)
    trace = []
    for _ in range(steps):
        value, grad, hess = _pass(phi, x, y, w)
        grad = grad + ridge * w
        step = torch.linalg.solve(hess + ridge * torch.eye(phi.width), grad)
        w = w - step
        trace.append(((value + ridge * w.square().sum().item() / 2) / len(y), step.norm().item()))
    return w, trace
