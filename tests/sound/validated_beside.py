# samebits-test: verdict=same
"""A thread validates copies of the model and says so when it is done, in a folder named by date."""

import copy
import queue
import threading
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
jobs = queue.Queue()
scores = {}


def validate():
    x = torch.linspace(-1, 1, 4096).reshape(64, 64)
    while (job := jobs.get()) is not None:
        step, model = job
        began = time.perf_counter()
        with torch.no_grad():
            scores[step] = model(x).square().mean().item()
        print(f"{time.strftime('%X')} validated {step} in {time.perf_counter() - began:.2f}s")


validator = threading.Thread(target=validate, daemon=True)
validator.start()
print("runs/" + time.strftime("%d%b-%H%M%S"))
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(60):
    loss = model(torch.full((64, 64), step / 60)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        jobs.put((step, copy.deepcopy(model)))
        print("step", step, "loss", loss.item())
jobs.put(None)
validator.join()
print([scores[step] for step in sorted(scores)])
