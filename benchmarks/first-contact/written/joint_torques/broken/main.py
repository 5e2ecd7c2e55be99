import argparse
import json
import logging
import time
from datetime import datetime
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from network import InverseDynamics
from settings import load_settings
from simulator import Simulator

log = logging.getLogger("torques")


def epoch_loader(simulator, settings, shuffle):
    inputs, targets = simulator.sample("train")
    data = TensorDataset(torch.from_numpy(inputs), torch.from_numpy(targets))
    return DataLoader(data, batch_size=settings.batch_size, shuffle=True, generator=shuffle)


@torch.no_grad()
def rmse(model, inputs, targets):
    model.eval()
    error = (model(inputs) - targets).pow(2).mean(0).sqrt()
    return error.mean().item(), error.tolist()


def train(model, simulator, settings, run_dir):
    shuffle = torch.Generator().manual_seed(settings.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    held_x, held_y = map(torch.from_numpy, simulator.sample("heldout", rollouts=16))
    best, stale, history = float("inf"), 0, []
    for epoch in range(settings.epochs):
        started = time.perf_counter()
        model.train()
        for x, y in epoch_loader(simulator, settings, shuffle):
            loss = torch.nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score, per_joint = rmse(model, held_x, held_y)
        history.append(score)
        log.info("epoch %2d  rmse %.4f Nm  %.2f s", epoch, score, time.perf_counter() - started)
        if score < best:
            best, stale = score, 0
            torch.save(model.state_dict(), run_dir / "best.pt")
        else:
            stale += 1
            if stale >= settings.patience:
                log.info("no gain in %d epochs, stopping", stale)
                break
    return {"best_rmse": best, "per_joint": per_joint, "history": history, "epochs": len(history)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=str(Path(__file__).with_name("config.json")))
    parser.add_argument("--out", default="runs")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    name, sim, settings = load_settings(args.config)
    run_dir = Path(args.out) / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    run_dir.mkdir(parents=True)

    torch.manual_seed(settings.seed)
    simulator = Simulator(sim)
    model = InverseDynamics(sim.joints, settings.hidden)
    metrics = train(model, simulator, settings, run_dir)
    torch.save(model.state_dict(), run_dir / "last.pt")
    (run_dir / "metrics.json").write_text(json.dumps(metrics, indent=2))
    print(f"best held-out rmse {metrics['best_rmse']:.4f} Nm after {metrics['epochs']} epochs, in {run_dir}")


if __name__ == "__main__":
    main()
