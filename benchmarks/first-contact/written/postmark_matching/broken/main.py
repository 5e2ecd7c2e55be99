"""Learns an embedding in which impressions of the same post office lie together."""
import json
import time
import uuid

import torch
from torch import nn

from mining import LookAlikes
from stamps import SIZE, render

SEED = 1840
OFFICES = 48
COPIES = 20
STEPS = 140
BATCH = 64


class Encoder(nn.Module):
    def __init__(self, width=16, code=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(2 * width * (SIZE // 4) ** 2, code),
        )

    def forward(self, images):
        return nn.functional.normalize(self.net(images[:, None]), dim=1)


def accuracy(encoder, known, queries):
    with torch.no_grad():
        centres = torch.stack([encoder(images).mean(0) for images in known])
        codes = encoder(queries.flatten(0, 1))
    labels = torch.arange(len(queries)).repeat_interleave(queries.shape[1])
    return ((codes @ centres.T).argmax(1) == labels).float().mean().item()


def main():
    run = f"postmarks-{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    draw = torch.Generator().manual_seed(SEED + 1)
    images = torch.from_numpy(render(OFFICES, COPIES, SEED))
    queries = torch.from_numpy(render(OFFICES, 6, SEED + 1))
    encoder = Encoder()
    miner = LookAlikes(encoder, images)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)

    def pick(offices):
        return images[offices, torch.randint(COPIES, (len(offices),), generator=draw)]

    losses = []
    begin = time.perf_counter()
    for step in range(STEPS):
        offices = torch.randint(OFFICES, (BATCH,), generator=draw)
        alike = miner.lookup(offices)
        others = alike[torch.arange(BATCH), torch.randint(alike.shape[1], (BATCH,), generator=draw)]
        codes = encoder(torch.cat([pick(offices), pick(offices), pick(others)]))
        anchor, same, other = codes.chunk(3)
        loss = nn.functional.triplet_margin_loss(anchor, same, other, margin=0.4)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 40 == 0:
            print(f"[{time.perf_counter() - begin:5.2f} s] step {step:3d} loss {losses[-1]:.4f}")

    found = accuracy(encoder, images, queries)
    print(f"{run}: {found:.1%} of the impressions go to their office")
    with open("matching.json", "w") as stream:
        json.dump({"run": run, "accuracy": found, "losses": losses[::20]}, stream, indent=1)
    torch.save(encoder.state_dict(), "encoder.pt")


if __name__ == "__main__":
    main()
