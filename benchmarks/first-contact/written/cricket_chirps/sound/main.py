import logging
import time
from dataclasses import dataclass

import torch
from torch import nn

from augment import Augmenter, Pipeline
from clips import SPECIES, library

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)


@dataclass(frozen=True)
class Settings:
    seed: int = 5
    clips: int = 180
    held_out: int = 40
    epochs: int = 4
    batch: int = 20
    lr: float = 2e-3


class ChirpNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(129, 32, 5, stride=2)
        self.conv2 = nn.Conv1d(32, 32, 5, stride=2)
        self.norm = nn.BatchNorm1d(32)
        self.head = nn.Linear(64, len(SPECIES))

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.norm(self.conv2(x)))
        return self.head(torch.cat([x.mean(-1), x.amax(-1)], dim=1))


def main(cfg: Settings):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    clips, labels = library(cfg.clips, cfg.seed)
    y = torch.from_numpy(labels)
    n = cfg.clips - cfg.held_out
    pipeline = Pipeline(clips[:n], Augmenter(cfg.seed + 1))
    net = ChirpNet()
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        start = time.perf_counter()
        x = pipeline.epoch(epoch)
        made = time.perf_counter() - start
        net.train()
        running = 0.0
        for idx in torch.randperm(n).split(cfg.batch):
            loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
        logging.info("epoch %d: spectrograms took %.2f s", epoch, made)
        print(f"epoch {epoch}  loss {running / n:.5f}")
    net.eval()
    with torch.no_grad():
        scores = net(pipeline.plain(clips[n:]))
    pipeline.close()
    accuracy = (scores.argmax(1) == y[n:]).float().mean().item()
    print(f"held-out accuracy {accuracy:.3f}")
    torch.save({"model": net.state_dict(), "species": SPECIES}, "chirps.pt")


if __name__ == "__main__":
    main(Settings())
