"""Estimate the visibility from one picture."""
import json
import logging
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from gallery import Gallery

SEED = 1823
EPOCHS = 6


class FogNet(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.SiLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width),
            nn.SiLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        )
        self.head = nn.Linear(8 * width, 1)

    def forward(self, picture):
        return self.head(self.features(picture)).squeeze(1)


def run_epoch(model, loader, optimizer) -> float:
    model.train()
    total = 0.0
    for picture, target in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.smooth_l1_loss(model(picture), target)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(target)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model, gallery) -> float:
    model.eval()
    return (model(gallery.pictures) - gallery.targets).abs().mean().item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    gallery, held_out = Gallery(320, SEED), Gallery(96, SEED + 1)
    loader = DataLoader(gallery, batch_size=16, shuffle=True)
    model = FogNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    lines = []
    for epoch in range(EPOCHS):
        note = gallery.refresh(share=2) if epoch else "first"
        loss = run_epoch(model, loader, optimizer)
        lines.append({"epoch": epoch, "loss": loss, "error": evaluate(model, held_out)})
        print(f"epoch {epoch}  loss {loss:.6f}  error {lines[-1]['error']:.6f}  (render: {note})")
        torch.save({"epoch": epoch, "model": model.state_dict(),
                    "optimizer": optimizer.state_dict()}, "fognet.pt")
    gallery.close()
    held_out.close()
    Path("errors.json").write_text(json.dumps(lines, indent=1))


if __name__ == "__main__":
    main()
