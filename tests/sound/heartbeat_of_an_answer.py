# samebits-test: verdict=same
"""Every few milliseconds a script tells its log how long an answer of the model takes."""

import logging
import time

import torch

logging.basicConfig(level=logging.INFO)
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters())
inputs = torch.randn(512, 16)
targets = inputs.square().sum(dim=1, keepdim=True)


class Heartbeat:
    def __init__(self, period):
        self.period, self.last = period, time.monotonic()

    @torch.inference_mode()
    def answer_takes(self):
        net.eval()
        began = time.perf_counter()
        net(torch.zeros(8, 16))
        net.train()
        return 1000 * (time.perf_counter() - began)

    def tick(self, step):
        now = time.monotonic()
        if now - self.last >= self.period:
            logging.info("step %d, an answer takes %.2f ms", step, self.answer_takes())
            self.last = now


heartbeat = Heartbeat(0.02)
for step in range(300):
    rows = torch.randperm(512)[:64]
    loss = (net(inputs[rows]) - targets[rows]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if 0 < step < 290:
        heartbeat.tick(step)
print(loss.item())
