import numpy as np
import torch


def fresh(points, hidden, seed):
    rng = np.random.default_rng(seed)
    return {
        "w1": (rng.normal(0, 1, (points, hidden)) / np.sqrt(points)).astype(np.float32),
        "b1": np.zeros(hidden, dtype=np.float32),
        "w2": (rng.normal(0, 1, (hidden, hidden)) / np.sqrt(hidden)).astype(np.float32),
        "b2": np.zeros(hidden, dtype=np.float32),
        "w3": (rng.normal(0, 1, (hidden, 1)) / np.sqrt(hidden)).astype(np.float32),
        "b3": np.zeros(1, dtype=np.float32),
    }


def predict(p, x):
    h = torch.tanh(x @ p["w1"] + p["b1"])
    h = torch.tanh(h @ p["w2"] + p["b2"])
    return (h @ p["w3"] + p["b3"]).squeeze(-1)


def descend(arrays, x, y, epochs, rate, seed, batch=20):
    """Plain stochastic gradient descent; returns new arrays and the loss of each epoch."""
    params = {k: torch.from_numpy(v.copy()).requires_grad_() for k, v in arrays.items()}
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    rng = np.random.default_rng(seed)
    losses = []
    for _ in range(epochs):
        total = 0.0
        order = torch.from_numpy(rng.permutation(len(x)))
        for rows in order.split(batch):
            loss = (predict(params, x[rows]) - y[rows]).square().mean()
            grads = torch.autograd.grad(loss, list(params.values()))
            with torch.no_grad():
                for value, grad in zip(params.values(), grads):
                    value -= rate * grad
            total += loss.item() * len(rows)
        losses.append(total / len(x))
    return {k: v.detach().numpy() for k, v in params.items()}, losses
