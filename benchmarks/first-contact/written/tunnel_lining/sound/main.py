"""Tell hollow from sound concrete by the blow of a hammer."""
from concurrent.futures import ThreadPoolExecutor, as_completed
from time import monotonic

import numpy as np
import torch
from torch import nn

from soundings import describe

RINGS = range(100, 172)


def gather(rings, workers=4):
    """Describe all rings, several at a time, and tell how far it is."""
    done = {}
    began = monotonic()
    with ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(describe, ring): ring for ring in rings}
        for future in as_completed(waiting):
            done[waiting[future]] = future.result()
            if len(done) % 24 == 0:
                print(f"  ring {waiting[future]} done, {len(done)} of {len(waiting)} ({monotonic() - began:.1f} s)")
    features = np.concatenate([done[ring][0] for ring in rings])
    hollow = np.concatenate([done[ring][1] for ring in rings])
    return torch.from_numpy(features), torch.from_numpy(hollow)


class Ear(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.net = nn.Sequential(nn.BatchNorm1d(inputs), nn.Linear(inputs, 64), nn.ReLU(), nn.Dropout(0.3),
                                 nn.Linear(64, 2))

    def forward(self, x):
        return self.net(x)


def fit(x, y, epochs, seed):
    torch.manual_seed(seed)
    model = Ear(x.shape[1])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-3)
    cooling = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        losses = []
        for pick in torch.randperm(len(x)).split(40):
            loss = nn.functional.cross_entropy(model(x[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        cooling.step()
        print(f"epoch {epoch}: loss {np.mean(losses):.6f}")
    return model.eval()


def main():
    torch.manual_seed(8)
    x, y = gather(RINGS)
    order = torch.randperm(len(x))
    held_out, rest = order[: len(x) // 5], order[len(x) // 5:]
    model = fit(x[rest], y[rest], epochs=10, seed=9)
    with torch.no_grad():
        guess = model(x[held_out]).argmax(1)
    truth = y[held_out]
    recall = (guess[truth == 1] == 1).float().mean().item()
    print(f"{len(x)} blows, accuracy {(guess == truth).float().mean().item():.4f}, hollow found {recall:.4f}")
    torch.save({"weights": model.state_dict(), "recall": recall}, "ear.pt")


if __name__ == "__main__":
    main()
