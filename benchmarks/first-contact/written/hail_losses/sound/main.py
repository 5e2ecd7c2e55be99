"""Surrogate of the hail model: quantiles of an event's insured loss from the parameters of the event, so that treaty
pricing need not simulate every building.

    python main.py --events 480 --epochs 9
"""

import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch import nn

from events import DamageModel, draw_events
from portfolio import make_portfolio
from prefetch import LossPrefetcher

LEVELS = torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95])


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=480)
    parser.add_argument("--holdout", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


class QuantileNet(nn.Module):
    """The median, and positive distances from it, so that quantiles do not cross."""

    def __init__(self, inputs, width=96):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width),
            nn.LayerNorm(width),
            nn.GELU(),
            nn.Dropout(0.05),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, len(LEVELS)),
        )

    def forward(self, inputs):
        low2, low1, middle, high1, high2 = self.body(inputs).unbind(dim=1)
        gaps = [nn.functional.softplus(gap - 2.0) for gap in (low2, low1, high1, high2)]
        return torch.stack(
            [middle - gaps[1] - gaps[0], middle - gaps[1], middle, middle + gaps[2], middle + gaps[2] + gaps[3]], dim=1
        )


def pinball(quantiles, losses):
    """Mean pinball loss; quantiles are [events, levels], losses [events, draws]."""
    error = losses[:, None, :] - quantiles[:, :, None]
    levels = LEVELS[None, :, None]
    return torch.maximum(levels * error, (levels - 1.0) * error).mean()


@torch.no_grad()
def evaluate(model, inputs, losses):
    model.eval()
    quantiles = model(inputs)
    inside = (losses >= quantiles[:, :1]) & (losses <= quantiles[:, -1:])
    simulated = losses.expm1().mean(dim=1)
    predicted = quantiles[:, 2].expm1().clamp(min=0.0)
    tail = simulated.topk(12).indices
    return {
        "pinball": pinball(quantiles, losses).item(),
        "coverage_90": inside.float().mean().item(),
        "mean_loss": predicted.mean().item(),
        "tail_bias": (predicted[tail].sum() / simulated[tail].sum() - 1.0).item(),
    }


def simulate_holdout(damage, args):
    events = draw_events(args.holdout, args.seed, first=100_000)
    prefetcher = LossPrefetcher(damage, events, args.seed + 1, draws=64, workers=1)
    numbers = list(range(len(events)))
    losses = [losses for _, losses in prefetcher.batches(0, [numbers])]
    prefetcher.close()
    return torch.tensor([damage.describe(event) for event in events], dtype=torch.float32), torch.cat(losses)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    portfolio = make_portfolio(seed=args.seed)
    damage = DamageModel(portfolio)
    events = draw_events(args.events, args.seed)
    inputs = torch.tensor([damage.describe(event) for event in events], dtype=torch.float32)
    holdout = simulate_holdout(damage, args)
    print(f"{len(portfolio)} buildings, {portfolio.total / 1000.0:.1f} m insured; {args.events} events")

    model = QuantileNet(inputs.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    order = torch.Generator().manual_seed(args.seed + 2)
    prefetcher = LossPrefetcher(damage, events, args.seed, workers=args.workers)

    history, began = [], time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        model.train()
        total, steps = 0.0, 0
        plan = torch.randperm(args.events, generator=order).split(args.batch_size)
        for numbers, losses in prefetcher.batches(epoch, [part.tolist() for part in plan]):
            loss = pinball(model(inputs[numbers]), losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            steps += 1
        schedule.step()
        history.append({"epoch": epoch, "train": total / steps, **evaluate(model, *holdout)})
        rate = epoch * args.events / (time.perf_counter() - began)
        print(
            f"epoch {epoch}  train {total / steps:.5f}  holdout {history[-1]['pinball']:.5f}"
            f"  coverage {history[-1]['coverage_90']:.3f}  tail {history[-1]['tail_bias']:+.3f}  {rate:.0f} events/s"
        )
    prefetcher.close()

    folder = Path("surrogates") / datetime.now().strftime("%Y-%m-%d_%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / "quantiles.pt")
    (folder / "history.json").write_text(json.dumps(history, indent=2))
    print(f"mean loss per event {history[-1]['mean_loss']:.3f} m; {time.perf_counter() - began:.1f} s; {folder}")


if __name__ == "__main__":
    main()
