"""What made the sound: a small network over the waveforms of a volcano's infrasound station."""
import hashlib
import socket
from pathlib import Path

import numpy as np
import torch
from torch import nn

from archive import KINDS, ensure, open_events

ARCHIVE = Path("archive/events.npy")


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Conv1d(1, 16, 16, stride=4)
        self.middle = nn.Conv1d(16, 32, 8, stride=2)
        self.norm = nn.GroupNorm(4, 32)
        self.head = nn.Linear(64, len(KINDS))

    def forward(self, x):
        x = torch.relu(self.front(x))
        x = torch.relu(self.norm(self.middle(x)))
        x = torch.cat([x.mean(2), x.amax(2)], dim=1)
        return self.head(nn.functional.dropout(x, 0.2, self.training))


def confusion(model, x, y):
    model.eval()
    with torch.no_grad():
        guess = model(x).argmax(1)
    return torch.bincount(y * len(KINDS) + guess, minlength=len(KINDS) ** 2).view(len(KINDS), -1)


def main():
    torch.manual_seed(1883)
    rng = np.random.default_rng(1883)
    labels = torch.from_numpy(np.load(ensure(ARCHIVE)))
    events = torch.from_numpy(np.array(open_events(ARCHIVE)))[:, None]
    print(f"{len(events)} events on {socket.gethostname()}, loudest {events.abs().max().item():.5f}")

    order = torch.from_numpy(rng.permutation(len(events)))
    test, train = order[:320], order[320:]
    model = Listener()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(6):
        model.train()
        total = 0.0
        for pick in train[torch.randperm(len(train))].split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(events[pick]), labels[pick])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(pick)
        table = confusion(model, events[test], labels[test])
        print(f"epoch {epoch}: loss {total / len(train):.6f}, right {table.diag().sum().item()} of {len(test)}")

    for kind, row in zip(KINDS, table.tolist()):
        print(f"  {kind:10s}" + "".join(f"{n:5d}" for n in row))
    torch.save(model.state_dict(), "listener.pt")
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print("weights", digest.hexdigest()[:12])


if __name__ == "__main__":
    main()
