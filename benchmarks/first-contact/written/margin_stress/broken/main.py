"""Learn the margin of a portfolio, so that it need not be simulated for every order."""
import json
import multiprocessing
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import nn

from book import FACTORS, jobs
from stress import stress

SEED = 987
HERE = Path(__file__).resolve().parent


class MarginNet(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2 * len(FACTORS), width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)
        )

    def forward(self, greeks):
        return self.layers(greeks).squeeze(1)


def simulate(book):
    """All portfolios, in the order of the book; the workers take them as they come."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        outcomes = list(pool.imap_unordered(stress, book, chunksize=8))
    shares = Counter(outcome.worker for outcome in outcomes)
    print("portfolios by process:", ", ".join(f"{worker}: {count}" for worker, count in shares.items()))
    return sorted(outcomes, key=lambda outcome: outcome.index)


def train(model, greeks, margins, epochs=25):
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.4)
    generator = torch.Generator().manual_seed(SEED)
    for epoch in range(epochs):
        for rows in torch.randperm(len(greeks), generator=generator).split(32):
            loss = nn.functional.mse_loss(model(greeks[rows]), margins[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        yield epoch, loss.item()


def main():
    torch.manual_seed(SEED)
    book = jobs(600, SEED)
    outcomes = simulate(book)
    greeks = torch.from_numpy(np.stack([np.concatenate([job.delta, job.gamma]) for job in book])).float()
    margins = torch.tensor([outcome.margin for outcome in outcomes])
    scale = margins[:480].std()
    margins = margins / scale

    model = MarginNet()
    for epoch, loss in train(model, greeks[:480], margins[:480]):
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1}: loss {loss:.6f}")

    with torch.no_grad():
        error = (model(greeks[480:]) - margins[480:]).abs().mean().item()
    worst = max(outcomes, key=lambda outcome: outcome.worst)
    print(f"mean error {error:.6f}, worst loss {worst.worst:.4f} in portfolio {worst.index}")
    torch.save(model.state_dict(), HERE / "margin.pt")
    report = {"error": error, "scale": scale.item(), "worst_portfolio": worst.index, "worst_loss": worst.worst}
    (HERE / "report.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
