"""Federated learning of soil moisture over the meadows of a valley; slow meadows answer with old versions."""
import io
import statistics
import time
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from server import Server, Update

SEED = 29
MEADOWS = 9
ROUNDS = 8


def build():
    return nn.Sequential(nn.Linear(7, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))


def readings(meadow, count):
    """Rain, sun, wind, hour, depth, slope, clay, and how moist the soil was."""
    rng = np.random.default_rng([SEED, meadow])
    x = rng.normal(size=(count, 7)).astype(np.float32)
    x[:, 6] += 0.3 * (meadow % MEADOWS) - 1.2
    y = np.tanh(x[:, 0] - 0.6 * x[:, 1]) + 0.3 * x[:, 6] * x[:, 4] - 0.2 * x[:, 2] ** 2
    y += rng.normal(scale=0.1, size=count)
    return torch.from_numpy(x), torch.from_numpy(y.astype(np.float32)[:, None])


class Meadow:
    def __init__(self, number):
        self.number = number
        self.x, self.y = readings(number, 160 + 40 * number)
        self.generator = torch.Generator().manual_seed(SEED * 100 + number)
        self.model = build()
        self.lag = number % 3
        self.versions = deque(maxlen=self.lag + 1)

    def work(self, version, state):
        buffer = io.BytesIO()
        torch.save(state, buffer)
        self.versions.append((version, buffer.getvalue()))
        version, packed = self.versions[0]
        start = torch.load(io.BytesIO(packed))
        self.model.load_state_dict(start)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)
        loader = DataLoader(TensorDataset(self.x, self.y), batch_size=32, shuffle=True,
                            generator=self.generator)
        for x, y in loader:
            loss = nn.functional.mse_loss(self.model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        delta = {name: value - start[name] for name, value in self.model.state_dict().items()}
        return Update(self.number, version, len(self.x), delta)


def main():
    torch.manual_seed(SEED)
    server = Server(build())
    meadows = [Meadow(number) for number in range(MEADOWS)]
    test_x, test_y = readings(MEADOWS // 2 + 100, 800)
    order = np.random.default_rng(SEED)

    for round_number in range(ROUNDS):
        began = time.perf_counter()
        for number in order.permutation(MEADOWS):
            server.receive(meadows[number].work(*server.publish()))
        with torch.no_grad():
            error = nn.functional.mse_loss(server.model(test_x), test_y).item()
        print(f"round {round_number}: version {server.version}, test error {error:.6f}, "
              f"last step {server.norms[-1]:.6f}, {time.perf_counter() - began:.2f} s")
    print(f"updates waited {1000 * statistics.median(server.waits):.1f} ms for their merge")
    print("weights", float(sum(p.detach().double().abs().sum() for p in server.model.parameters())))


if __name__ == "__main__":
    main()
