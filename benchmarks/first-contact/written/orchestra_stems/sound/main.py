"""Contrastive embedding of instrument stems: two excerpts of one stem belong together."""
import json
import math
import shutil
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from stems import INSTRUMENTS, RATE, load_stems, render_all

TAKES = 40
EPOCHS = 10
BATCH = 48
EXCERPT = RATE


class Encoder(nn.Module):
    def __init__(self, width=24, out=32):
        super().__init__()
        self.register_buffer("window", torch.hann_window(256), persistent=False)
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 5, stride=(3, 2), padding=2), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.AdaptiveAvgPool2d((6, 1)), nn.Flatten())
        self.head = nn.Linear(6 * width, out)

    def forward(self, wave):
        power = torch.stft(wave, 256, hop_length=128, window=self.window, return_complex=True).abs()
        hidden = self.body(torch.log1p(20 * power).unsqueeze(1))
        return F.normalize(self.head(hidden), dim=1), hidden


def excerpt(waves, generator):
    """A random second of each stem, at a random level, with a little noise."""
    starts = torch.randint(0, waves.shape[1] - EXCERPT, (len(waves),), generator=generator)
    cut = waves.gather(1, starts[:, None] + torch.arange(EXCERPT))
    level = torch.empty(len(waves), 1).uniform_(0.4, 1.2, generator=generator)
    return level * cut + 0.02 * torch.randn(cut.shape, generator=generator)


def nt_xent(a, b, temperature=0.2):
    both = torch.cat([a, b])
    logits = both @ both.T / temperature
    logits.fill_diagonal_(-math.inf)
    half = len(a)
    return F.cross_entropy(logits, torch.cat([torch.arange(half, 2 * half), torch.arange(half)]))


def nearest_neighbour_accuracy(encoder, waves, kinds, takes):
    encoder.eval()
    with torch.no_grad():
        hidden = torch.cat([encoder(part[:, :EXCERPT])[1] for part in waves.split(60)])
    hidden = F.normalize(hidden - hidden.mean(0), dim=1)
    known, asked = takes < TAKES * 3 // 4, takes >= TAKES * 3 // 4
    closest = (hidden[asked] @ hidden[known].T).argmax(1)
    return (kinds[known][closest] == kinds[asked]).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(23)
    run = Path("runs") / time.strftime("%Y%m%d-%H%M%S")
    run.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="stems-"))
    try:
        began = time.time()
        seconds = render_all(scratch, TAKES)
        print(f"{len(seconds)} stems, {math.fsum(seconds.values()):.1f} s of music, in {time.time() - began:.1f} s under {scratch}")
        waves, kinds, takes = (torch.from_numpy(part) for part in load_stems(scratch))
    finally:
        shutil.rmtree(scratch)

    encoder = Encoder()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
    generator = torch.Generator().manual_seed(24)
    for epoch in range(EPOCHS):
        encoder.train()
        losses = []
        for picked in torch.randperm(len(waves), generator=generator).split(BATCH):
            batch = waves[picked]
            loss = nt_xent(encoder(excerpt(batch, generator))[0], encoder(excerpt(batch, generator))[0])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"[{time.strftime('%X')}] epoch {epoch + 1:2d} loss {sum(losses) / len(losses):.6f}")

    accuracy = nearest_neighbour_accuracy(encoder, waves, kinds, takes)
    print(f"nearest neighbour of {len(INSTRUMENTS)} instruments: {accuracy:.4f}")
    torch.save(encoder.state_dict(), run / "encoder.pt")
    (run / "scores.json").write_text(json.dumps({"accuracy": accuracy, "loss": losses}))


if __name__ == "__main__":
    main()
