"""Flow matching on a checkerboard; a background thread prepares batches from its own generator."""
import copy
import queue
import threading
import time
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import nn

SEED, STEPS, BATCH = 13, 195, 256


@contextmanager
def timed(what):
    t = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - t:.2f} s")


def checkerboard(n, g):
    x = torch.rand(n, generator=g) * 4 - 2
    y = torch.rand(n, generator=g) - torch.randint(0, 2, (n,), generator=g) * 2
    y = y + x.floor() % 2
    return torch.stack([x, y], 1)


def producer(q, steps, stop):
    g = torch.Generator().manual_seed(SEED + 1)
    for _ in range(steps):
        x1 = checkerboard(BATCH, g)
        x0 = torch.randn(BATCH, 2, generator=g)
        t = torch.rand(BATCH, 1, generator=g)
        if stop.is_set():
            return
        q.put((x0, x1, t))
    q.put(None)


class Velocity(nn.Module):
    def __init__(self, width=80):
        super().__init__()
        self.register_buffer("freq", torch.arange(1, 5).float() * 3.14159)
        self.l1, self.l2, self.l3 = nn.Linear(10, width), nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x, t):
        wave = t * self.freq
        h = F.silu(self.l1(torch.cat([x, wave.sin(), wave.cos()], 1)))
        h = F.dropout(h, 0.05, self.training)
        return self.l3(h + F.silu(self.l2(h)))


@torch.no_grad()
def integrate(model, n, steps=30):
    # evaluation must not change the numbers that training draws later
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        x = torch.randn(n, 2)
    for k in range(steps):
        x = x + model(x, torch.full((n, 1), k / steps)) / steps
    return x


def on_board(x):
    inside = (x.abs() <= 2).all(1)
    return (inside & ((x[:, 0].floor() + x[:, 1].floor()) % 2 == 0)).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model = Velocity()
    ema = copy.deepcopy(model).eval().requires_grad_(False)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    q, stop = queue.Queue(maxsize=4), threading.Event()
    thread = threading.Thread(target=producer, args=(q, STEPS, stop), name="producer")
    thread.start()
    try:
        with timed("training"):
            step = 0
            while (batch := q.get()) is not None:
                x0, x1, t = batch
                loss = F.mse_loss(model(torch.lerp(x0, x1, t), t), x1 - x0)
                opt.zero_grad()
                loss.backward()
                opt.step()
                for e, p in zip(ema.parameters(), model.parameters()):
                    e.lerp_(p.detach(), 0.02)
                step += 1
                if step % 65 == 0:
                    print(f"{step} loss {loss.item():.6f} on board {on_board(integrate(ema, 500)):.4f}")
    finally:
        stop.set()
        thread.join()
    with timed("sampling"):
        x = integrate(ema, 2000)
    print("on board", on_board(x), "spread", x.std(0).tolist())
    torch.save(x, "samples.pt")


if __name__ == "__main__":
    main()
