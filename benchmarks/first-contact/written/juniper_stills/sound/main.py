"""Find learning rate, width and decay for a model that predicts the strength of gin from the still's thermometers."""
import json
import logging
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import torch

from search import Settings, draw_settings, forward, run_trial

SEED = 5
TRIALS = 28
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("stills")


def distillations(count, generator):
    x = torch.randn(count, 9, generator=generator)
    head, boil, reflux = x[:, 0], x[:, 1], x[:, 2]
    y = 0.8 * torch.sin(1.5 * head) + 0.5 * head * reflux - 0.3 * boil ** 2 + 0.2 * x[:, 3:].sum(1)
    return x, y + 0.1 * torch.randn(count, generator=generator)


class Surrogate(torch.nn.Module):
    """Guesses the loss of settings that were not tried; learns from every trial that is reported to it."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(3, 24), torch.nn.SiLU(), torch.nn.Linear(24, 1))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=0.02)
        self.seen = 0

    def report(self, outcome):
        features, target = outcome.settings.features(), torch.tensor([outcome.loss])
        for _ in range(6):
            error = (self.body(features) - target).square().sum()
            self.optimizer.zero_grad()
            error.backward()
            self.optimizer.step()
        self.seen += 1

    @torch.no_grad()
    def suggest(self, candidates):
        guesses = [self.body(c.features()).item() for c in candidates]
        return candidates[min(range(len(candidates)), key=guesses.__getitem__)], min(guesses)


def main():
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    train, valid = distillations(2000, generator), distillations(500, generator)
    settings = draw_settings(TRIALS, generator)
    surrogate = Surrogate()
    best = None

    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=4) as threads:
        journal = os.path.join(folder, "trials.jsonl")
        futures = [threads.submit(run_trial, s, train, valid, 40, SEED) for s in settings]
        for future in futures:
            outcome = future.result()
            surrogate.report(outcome)
            if best is None or outcome.loss < best.loss:
                best = outcome
            with open(journal, "a") as file:
                file.write(json.dumps({"trial": outcome.settings.number, "loss": outcome.loss,
                                       "seconds": outcome.seconds}) + "\n")
            log.info("trial %d: %.4f after %.2f s", outcome.settings.number, outcome.loss, outcome.seconds)
        with open(journal) as file:
            losses = {row["trial"]: row["loss"] for row in map(json.loads, file)}
    print(f"{len(losses)} trials in {time.perf_counter() - began:.2f} s, "
          f"best is {best.settings.number} with {best.loss:.5f}")

    fresh = draw_settings(200, torch.Generator().manual_seed(SEED + 1))
    chosen, guess = surrogate.suggest(fresh)
    chosen = Settings(TRIALS, chosen.rate * (1 + 0.01 * guess), chosen.width, chosen.decay)
    final = run_trial(chosen, train, valid, 250, SEED)
    with torch.no_grad():
        mean = forward(final.parameters, valid[0]).mean().item()
    print(f"surrogate chose width {chosen.width}, rate {chosen.rate:.8f} (guess {guess:.6f})")
    print(f"final loss {final.loss:.7f}, mean strength {mean:.7f}")
    print("weights", float(sum(p.double().abs().sum() for p in final.parameters)))


if __name__ == "__main__":
    main()
