"""Will the goalkeeper save this shot? Validation runs in the background while training goes on."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from validation import Validator


def shots(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 8)).astype(np.float32)
    odds = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] - 0.5 * x[:, 3] ** 2 + 0.3
    y = (rng.random(count) < 1 / (1 + np.exp(-2 * odds))).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


def network():
    return nn.Sequential(nn.Linear(8, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--steps", type=int, default=480)
    parser.add_argument("--every", type=int, default=12)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    x, y = shots(6000, args.seed)
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=args.steps)
    picker = torch.Generator().manual_seed(args.seed)

    began = time.perf_counter()
    with Validator(network(), *shots(30000, args.seed + 1)) as validator:
        for step in range(1, args.steps + 1):
            rows = torch.randint(len(x), (128,), generator=picker)
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows])[:, 0], y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % args.every == 0:
                validator.submit(step, model)
        report = validator.finish()
    print(f"{args.steps} steps in {time.perf_counter() - began:.2f} s")

    for entry in report.entries[::8]:
        print(f"step {entry.step}: validation loss {entry.loss:.7f}, brier {entry.brier:.7f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "best.pt"
        torch.save(report.best_state, path)
        model.load_state_dict(torch.load(path))
    test_x, test_y = shots(3000, args.seed + 2)
    with torch.no_grad():
        test = nn.functional.binary_cross_entropy_with_logits(model(test_x)[:, 0], test_y).item()
    print(f"best step {report.best_step}, test loss {test:.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
