"""A small network in place of the series for flow in a duct."""
import argparse

import torch
from torch import nn

from duct import sample
from pacing import Best, Pace


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--check-every", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    points, speeds = sample(8000, generator)
    held_points, held_speeds = sample(1500, generator)

    model = nn.Sequential(
        nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.8, patience=0, min_lr=2e-4)
    pace, best = Pace(args.check_every), Best()

    for step in range(args.steps):
        rows = torch.randint(len(points), (args.batch,), generator=generator)
        loss = nn.functional.mse_loss(model(points[rows]), speeds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if pace.due(step):
            with torch.no_grad():
                error = nn.functional.mse_loss(model(held_points), held_speeds).item()
            schedule.step(error)
            best.offer(error, model)
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss.item():.8f}  [{pace.speed(step):.0f} steps/s]")

    model.load_state_dict(best.state)
    with torch.no_grad():
        centre = model(torch.tensor([[0.0, 0.0, -0.75]])).item()
    print(f"held-out error {best.error:.9f}, last rate {optimizer.param_groups[0]['lr']:.6f}")
    print(f"speed in the middle of a square duct {centre:.6f}")
    torch.save(best.state, "duct.pt")


if __name__ == "__main__":
    main()
