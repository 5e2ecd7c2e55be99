"""Learn to forecast cyclone tracks from a simulated ensemble."""
import argparse
import json
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from basin import ensemble
from windows import TrackWindows


class TrackNet(nn.Module):
    def __init__(self, features: int = 6, hidden: int = 48):
        super().__init__()
        self.rnn = nn.LSTM(features, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 3)

    def forward(self, past):
        _, (state, _) = self.rnn(past)
        return self.out(state[-1])


def train_one_epoch(model, loader, optimizer):
    model.train()
    losses = []
    for past, change in loader:
        loss = nn.functional.mse_loss(model(past), change)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--storms", type=int, default=40)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()

    tracks = ensemble(args.storms, args.processes)
    cut = args.storms * 4 // 5
    mean, std = tracks[:cut].mean((0, 1)), tracks[:cut].std((0, 1))
    train, test = (TrackWindows(part, mean, std) for part in (tracks[:cut], tracks[cut:]))

    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(train, batch_size=16, shuffle=True)
    model = TrackNet()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    history = []
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, loader, optimizer)
        model.eval()
        with torch.no_grad():
            test_loss = nn.functional.mse_loss(model(test.past), test.change).item()
        history.append({"epoch": epoch, "train": loss, "test": test_loss})
        print(f"epoch {epoch}: train {loss:.6f}, test {test_loss:.6f}")

    folder = Path("runs/latest")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "args": vars(args)}, folder / "tracknet.pt")
    (folder / "history.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()
