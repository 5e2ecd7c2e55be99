"""Shared-memory slots filled by a generator process, handed over and given back by queue."""
import multiprocessing as mp
import time
from multiprocessing import shared_memory

import numpy as np
import torch
from torch import nn

SLOTS, ROWS, DIM, STEPS = 3, 64, 32, 120


def view(buffer, slot):
    base = np.ndarray((SLOTS, ROWS, DIM + 1), np.float32, buffer=buffer)
    return base[slot]


def producer(name, free, full, seed):
    memory = shared_memory.SharedMemory(name=name)
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(DIM, 4)).astype(np.float32)
    for step in range(STEPS):
        slot = free.get()
        rows = view(memory.buf, slot)
        rows[:, :DIM] = rng.normal(size=(ROWS, DIM))
        rows[:, DIM] = np.tanh(rows[:, :DIM] @ weights).prod(1) * 4
        rows[:, DIM] += 0.05 * rng.normal(size=ROWS)
        del rows
        full.put((step, slot, time.time()))
    full.put(None)
    memory.close()


def train(memory, free, full):
    torch.manual_seed(6)
    model = nn.Sequential(nn.Linear(DIM, 64), nn.GELU(), nn.Dropout(0.05), nn.Linear(64, 1))
    opt = torch.optim.NAdam(model.parameters(), lr=2e-3)
    waited = 0.0
    while (message := full.get()) is not None:
        step, slot, sent = message
        waited += time.time() - sent
        rows = torch.from_numpy(view(memory.buf, slot))
        x, y = rows[:, :DIM].clone(), rows[:, DIM:].clone()
        del rows
        free.put(slot)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 40 == 39:
            print(f"step {step + 1} loss {loss.item():.4f}, batches waited {waited / (step + 1) * 1e3:.2f} ms")
    return model, loss.item()


def main():
    ctx = mp.get_context("fork")
    memory = shared_memory.SharedMemory(create=True, size=SLOTS * ROWS * (DIM + 1) * 4)
    free, full = ctx.Queue(), ctx.Queue()
    for slot in range(SLOTS):
        free.put(slot)
    child = ctx.Process(target=producer, args=(memory.name, free, full, 13))
    child.start()
    try:
        model, loss = train(memory, free, full)
        child.join()
    finally:
        memory.close()
        memory.unlink()
    torch.save(model.state_dict(), "regressor.pt")
    print("final loss", loss, "weights", sum(p.double().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
