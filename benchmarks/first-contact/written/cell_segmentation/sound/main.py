"""Semantic segmentation of fluorescent cells: background, cell body, membrane."""
import json
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional as F

import fields
from batching import IGNORE, Bucketer
from unet import TinyUNet

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "segmentation_out"
CLASSES = 3


def dice(pred, target):
    scores = []
    valid = target != IGNORE
    for c in range(CLASSES):
        p, t = (pred == c) & valid, (target == c) & valid
        scores.append((2 * (p & t).sum() / (p.sum() + t.sum()).clamp(min=1)).item())
    return scores


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.RMSprop(net.parameters(), lr=lr, alpha=0.95)
        self.weights = torch.tensor([0.5, 1.0, 2.0])
        self.seen = 0

    def loss(self, images, masks):
        return F.cross_entropy(self.net(images), masks, weight=self.weights, ignore_index=IGNORE)

    def epoch(self, bucketer):
        self.net.train()
        losses = []
        for images, masks in bucketer:
            loss = self.loss(images, masks)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
            self.seen += int((masks != IGNORE).sum())
        return float(np.mean(losses))

    @torch.no_grad()
    def test(self, bucketer):
        self.net.eval()
        pairs = [(self.net(images).argmax(1), masks) for images, masks in bucketer]
        pred = torch.cat([p.flatten() for p, _ in pairs])
        return dice(pred, torch.cat([m.flatten() for _, m in pairs]))


def main():
    torch.manual_seed(77)
    torch.set_num_threads(1)
    OUT.mkdir(exist_ok=True)
    train_set = fields.make(90, seed=1)
    test_set = fields.make(24, seed=2)
    sizes = {image.shape for image, _ in train_set}
    print(f"{len(train_set)} fields in {len(sizes)} sizes")
    loader = Bucketer(train_set, size=6, generator=torch.Generator().manual_seed(78))
    trainer = Trainer(TinyUNet(CLASSES), lr=2e-3)
    log = []
    for epoch in range(4):
        start = time.perf_counter()
        loss = trainer.epoch(loader)
        scores = trainer.test(Bucketer(test_set, size=1))
        log.append({"loss": loss, "dice": scores})
        print(f"{epoch}  loss {loss:.6f}  dice " + " ".join(f"{s:.4f}" for s in scores))
        print(f"   {trainer.seen / 1e3:.0f}k pixels, {time.perf_counter() - start:.2f} s")
    torch.save(trainer.net.state_dict(), OUT / "unet.pt")
    (OUT / "log.json").write_text(json.dumps(log))


if __name__ == "__main__":
    main()
