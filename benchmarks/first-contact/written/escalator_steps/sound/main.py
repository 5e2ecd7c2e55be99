#!/usr/bin/env python3
"""Escalator step chains: how worn is the chain, from twelve accelerometers along the truss."""
import json
import time
from pathlib import Path

import torch

from recording import HOLD, SAMPLES, ride
from wear import WearNet, learn, windows
from whitening import Whitener

HERE = Path(__file__).parent


def main() -> None:
    torch.set_num_threads(1)
    clock = time.perf_counter()
    signal, wear = ride(seed=5)
    print(f"recording: {SAMPLES} samples, {signal.shape[1]} channels")

    known = SAMPLES - HOLD
    whitener = Whitener(components=20).fit(signal[:known])
    print(f"kept {whitener.explained:.1%} of the variance, {time.perf_counter() - clock:.2f} s")

    x, y = windows(whitener, signal, wear)
    split = int(len(x) * known / SAMPLES)
    torch.manual_seed(63)
    net = WearNet(x.shape[1])
    losses = learn(net, x[:split], y[:split])
    net.eval()
    with torch.no_grad():
        error = (net(x[split:]) - y[split:]).abs().mean().item()
    print(f"mean error {error:.4f} on the last {len(x) - split} windows, {time.perf_counter() - clock:.2f} s")

    target = HERE / "model"
    target.mkdir(exist_ok=True)
    torch.save({"net": net.state_dict(), "whitener": whitener.state()}, target / "wear.pt")
    (target / "summary.json").write_text(json.dumps({"losses": losses, "error": error}))


if __name__ == "__main__":
    main()
