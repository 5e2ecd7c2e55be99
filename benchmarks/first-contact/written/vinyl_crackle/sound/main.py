"""Search a cheap filter that takes the crackle out of old records."""
import argparse
import io
import time

import torch
from torch import nn
from torch.nn import functional as F

from costs import cost_table

WIDTH = 8


class Candidate(nn.Module):
    def __init__(self, label, kernel, dilation=1):
        super().__init__()
        self.label = label
        pad = dilation * (kernel - 1) // 2
        self.conv = nn.Conv1d(WIDTH, WIDTH, kernel, padding=pad, dilation=dilation)

    def forward(self, x):
        return torch.tanh(self.conv(x))


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleList([
            Candidate("point", 1), Candidate("short", 3),
            Candidate("wide", 5, dilation=2), Candidate("long", 15),
        ])
        self.alpha = nn.Parameter(torch.zeros(len(self.ops)))
        self.register_buffer("cost", torch.zeros(len(self.ops)))

    def forward(self, x):
        share = self.alpha.softmax(0)
        return x + sum(s * op(x) for s, op in zip(share, self.ops))

    def expected_cost(self):
        return (self.alpha.softmax(0) * self.cost).sum()


class Denoiser(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.lift = nn.Conv1d(1, WIDTH, 7, padding=3)
        self.layers = nn.ModuleList(Mixed() for _ in range(depth))
        self.drop = nn.Conv1d(WIDTH, 1, 1)

    def forward(self, x):
        x = self.lift(x)
        for layer in self.layers:
            x = layer(x)
        return self.drop(x)


def record(batch, length, generator):
    t = torch.linspace(0, 1, length)
    freq = 5 + 40 * torch.rand(batch, 3, 1, generator=generator)
    phase = 6.28 * torch.rand(batch, 3, 1, generator=generator)
    clean = torch.sin(6.28 * freq * t + phase).mean(1, keepdim=True)
    clicks = (torch.rand(batch, 1, length, generator=generator) < 0.02).float()
    noise = clicks * torch.randn(batch, 1, length, generator=generator)
    return clean, clean + noise


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--budget", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=78)
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    source = torch.Generator().manual_seed(args.seed + 1)
    net = Denoiser()
    probe = torch.zeros(8, WIDTH, args.length)
    for depth, layer in enumerate(net.layers):
        print(f"layer {depth}")
        layer.cost.copy_(cost_table(layer.ops, probe))

    arch = [layer.alpha for layer in net.layers]
    chosen = {id(a) for a in arch}
    weights = [p for p in net.parameters() if id(p) not in chosen]
    opt_weights = torch.optim.Adam(weights, lr=5e-3)
    opt_arch = torch.optim.Adam(arch, lr=2e-2)
    best, kept = float("inf"), None
    held_clean, held_noisy = record(16, args.length, source)
    started = time.perf_counter()
    for step in range(args.steps):
        clean, noisy = record(8, args.length, source)
        fit = F.mse_loss(net(noisy), clean)
        budget = sum(layer.expected_cost() for layer in net.layers)
        loss = fit + args.budget * budget
        opt_weights.zero_grad()
        opt_arch.zero_grad()
        loss.backward()
        opt_weights.step()
        if step >= 20:
            opt_arch.step()
        if step % 15 == 14:
            with torch.no_grad():
                held = F.mse_loss(net(held_noisy), held_clean).item()
            print(f"step {step + 1:3d}  fit {fit.item():.6f}  held-out {held:.6f}")
            if held < best:
                best, kept = held, io.BytesIO()
                torch.save(net.state_dict(), kept)
    print(f"{args.steps / (time.perf_counter() - started):.1f} steps/s")
    kept.seek(0)
    net.load_state_dict(torch.load(kept))
    for depth, layer in enumerate(net.layers):
        share = layer.alpha.softmax(0).tolist()
        print(depth, " ".join(f"{op.label}={s:.6f}" for op, s in zip(layer.ops, share)))
    print(f"best held-out {best:.8f}  sum {sum(p.double().sum().item() for p in net.parameters()):.10f}")


if __name__ == "__main__":
    main()
