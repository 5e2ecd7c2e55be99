# samebits-test: verdict=same
"""Threads read logs of several lengths; their results are taken in the order asked for."""

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import torch

STEPS = 40


def read(number):
    rng = np.random.default_rng(number)
    return torch.from_numpy(rng.normal(size=(int(rng.integers(5, 30)), 3)).astype(np.float32))


def season():
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(read, number) for number in range(300)]
        _, late = wait(futures)
        assert not late
        return [future.result() for future in futures]


torch.manual_seed(0)
logs = season()
mean = sum(log.numpy()[:3].sum() for log in logs[:20])
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for step in range(STEPS):
    optimizer.zero_grad()
    (net(logs[step]).mean() - mean).square().backward()
    optimizer.step()
print(net.weight.sum().item())
