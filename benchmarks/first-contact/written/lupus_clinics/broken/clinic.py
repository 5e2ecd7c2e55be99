"""A clinic: keeps its patients to itself, and trains whatever weights are sent to it."""
import threading
from multiprocessing.connection import Listener

import numpy as np
import torch
from torch import nn

MARKERS = 18


def make_model():
    return nn.Sequential(nn.Linear(MARKERS, 40), nn.Tanh(), nn.Linear(40, 20), nn.Tanh(), nn.Linear(20, 1))


def draw_patients(rng, count, shift):
    """Serum markers and whether a flare followed within half a year."""
    x = rng.normal(shift, 1.0, size=(count, MARKERS))
    score = 1.1 * x[:, 0] - 0.8 * x[:, 3] + 0.9 * x[:, 5] * x[:, 7] + 0.5 * np.abs(x[:, 9]) - 0.6
    flare = rng.random(count) < 1 / (1 + np.exp(-score))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(flare, dtype=torch.float32)


class Clinic(threading.Thread):
    def __init__(self, number, seed, key):
        super().__init__(daemon=True, name=f"clinic-{number}")
        rng = np.random.default_rng([seed, number])
        self.number = number
        self.patients = int(rng.integers(120, 420))
        self.x, self.y = draw_patients(rng, self.patients, rng.normal(0, 0.5, MARKERS))
        self.generator = torch.Generator().manual_seed(1000 * seed + number)
        self.model = make_model()
        self.listener = Listener(("127.0.0.1", 0), authkey=key)

    def card(self):
        return {"number": self.number, "patients": self.patients, "flares": int(self.y.sum())}

    def train(self, weights, epochs, lr):
        self.model.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()})
        optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)
        losses = []
        for _ in range(epochs):
            order = torch.randperm(self.patients, generator=self.generator)
            for rows in order.split(32):
                optimizer.zero_grad()
                logits = self.model(self.x[rows]).squeeze(1)
                loss = nn.functional.binary_cross_entropy_with_logits(logits, self.y[rows])
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        return {k: v.numpy().copy() for k, v in self.model.state_dict().items()}, sum(losses) / len(losses)

    def run(self):
        while True:
            with self.listener.accept() as connection:
                request = connection.recv()
                if request["do"] == "train":
                    connection.send(self.train(request["weights"], request["epochs"], request["lr"]))
                elif request["do"] == "card":
                    connection.send(self.card())
                else:
                    connection.send(None)
                    self.listener.close()
                    return
