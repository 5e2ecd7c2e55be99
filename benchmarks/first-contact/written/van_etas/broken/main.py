"""Online learning of delivery times: replays days of dispatches, learns from each minute's deliveries, and is judged on a
day that it does not learn from.

    python main.py --days 2
"""

import argparse
import json
import time
from pathlib import Path

import torch

from board import TravelBoard, features
from city import VANS, City
from clock import ReplayClock
from model import EtaModel, laplace_loss


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=2, help="days to learn from")
    parser.add_argument("--per-minute", type=int, default=96, help="dispatches in a minute")
    parser.add_argument("--max-age", type=float, default=30.0, help="minutes until the travel board is published anew")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--out", default="out")
    return parser.parse_args()


class Tally:
    """Absolute errors in minutes, and how many deliveries came within ten per cent."""

    def __init__(self):
        self.error = 0.0
        self.close = 0
        self.count = 0

    def add(self, predicted, minutes):
        error = (predicted - minutes).abs()
        self.error += error.sum().item()
        self.close += (error < 0.1 * minutes).sum().item()
        self.count += len(minutes)

    def result(self):
        return {"mae": self.error / self.count, "within_10": self.close / self.count}


def replay_minute(city, clock, board, count):
    city.advance()
    orders = city.dispatches(count)
    zones, dense = features(city, clock, board, orders)
    minutes = torch.tensor(orders["minutes"], dtype=torch.float32)
    return zones, dense, minutes, torch.tensor(orders["van"])


def learn(model, optimizer, city, clock, board, args):
    """Each minute's deliveries are predicted first and learned from afterwards."""
    minutes_per_day = int(clock.SHIFT // clock.step)
    log = []
    for day in range(args.days):
        window = Tally()
        for minute in range(1, minutes_per_day + 1):
            zones, dense, minutes, _ = replay_minute(city, clock, board, args.per_minute)
            centre, spread = model(zones, dense)
            window.add(centre.detach().exp(), minutes)
            loss = laplace_loss(centre, spread, minutes)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if minute % 240 == 0:
                log.append({"day": day + 1, "minute": minute, "loss": loss.item(), **window.result()})
                print(
                    f"day {day + 1} {int(clock.hour):02d}h  loss {loss.item():+.4f}  MAE {log[-1]['mae']:.3f} min"
                    f"  within 10% {log[-1]['within_10']:.3f}  lag {clock.lag():+.1f} s"
                )
                window = Tally()
        for group in optimizer.param_groups:
            group["lr"] *= 0.4
    return log


@torch.no_grad()
def judge(model, city, clock, board, args, every=4):
    """A further day, of which every fourth minute is judged, by kind of van."""
    tallies = [Tally() for _ in VANS]
    for minute in range(int(clock.SHIFT // clock.step)):
        if minute % every:
            city.advance()
            continue
        zones, dense, minutes, van = replay_minute(city, clock, board, args.per_minute)
        predicted = model(zones, dense)[0].exp()
        for kind, tally in enumerate(tallies):
            tally.add(predicted[van == kind], minutes[van == kind])
    return {name: tally.result() for name, tally in zip(VANS, tallies)}


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    clock = ReplayClock()
    city = City(clock, seed=args.seed)
    board = TravelBoard(city, clock, max_age=60.0 * args.max_age)
    model = EtaModel(city.zones)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    expected = args.days * clock.SHIFT / clock.speed
    print(f"replaying {args.days} days with {args.per_minute} dispatches a minute, about {expected:.0f} s")

    began = time.perf_counter()
    log = learn(model, optimizer, city, clock, board, args)
    model.eval()
    judged = judge(model, city, clock, board, args)
    for name, result in judged.items():
        print(f"{name:11s} MAE {result['mae']:.3f} min, within 10% {result['within_10']:.3f}")

    out = Path(args.out)
    out.mkdir(exist_ok=True)
    torch.save({"model": model.state_dict(), "zones": city.zones}, out / "eta.pt")
    report = {"log": log, "judged": judged, "boards": board.published}
    (out / "report.json").write_text(json.dumps(report, indent=2))
    print(f"{board.published} boards published; {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
